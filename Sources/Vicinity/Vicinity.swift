@_exported public import VicinityCrossings
@_exported public import VicinityGeodesy
@_exported public import VicinityIndex
@_exported public import VicinityMonitor
@_exported public import VicinityPlanner
@_exported public import VicinityPolygon
