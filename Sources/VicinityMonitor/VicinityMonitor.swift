// A monitor's options hold those of its planner: who imports the monitor has the planner too.
@_exported public import VicinityPlanner
