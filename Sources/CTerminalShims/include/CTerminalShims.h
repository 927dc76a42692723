#pragma once

/// Turns off echo, line editing and the keys that send signals, and remembers the terminal's mode. What was typed
/// before stays to be read. A signal that would end the process while it is off puts the mode back first. Returns 0, or an errno: EBUSY when it is off already.
int authkit_terminal_hide(int fd);

/// Puts the mode back. With `discards`, what was typed and not read is thrown away, so that it does not turn up in a
/// shell.
void authkit_terminal_show(int discards);
