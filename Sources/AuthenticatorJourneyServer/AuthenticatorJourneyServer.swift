// AuthenticatorJourneyServer
