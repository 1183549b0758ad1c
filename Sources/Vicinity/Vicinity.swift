@_exported public import VicinityGeodesy
@_exported public import VicinityIndex
