// A scenario is made of a profile: who imports the simulation has the profiles too.
@_exported public import VicinityProfiles
