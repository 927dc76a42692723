// AuthenticatorJourney
