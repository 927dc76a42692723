"""Runs a program, and says how much memory it occupied at most.

usage: peak.py FILE PROGRAM [ARGUMENT]...

FILE gets the number, in bytes. Ends as the program ends. A parent of its own, with little memory: the kernel counts
what the parent has before the program is executed.
"""

import resource
import subprocess
import sys

status = subprocess.call(sys.argv[2:])
with open(sys.argv[1], "w") as file:
    file.write(str(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024))
sys.exit(status if status >= 0 else 128 - status)
