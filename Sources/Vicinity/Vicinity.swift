// What an app needs, by `import Vicinity`: each name is listed, so that no other name of this library meets
// an app's own. The rest is a module away: VicinityPlanner for plans and their diffs, VicinityMonitor for
// phones, strategies of one's own and Core Location's classic surface, VicinityIndex for queries without
// allocation.
//
// `Vicinity.Monitor` names the type where an app has a `Monitor` of its own: no type is called Vicinity.

@_exported public import struct VicinityCrossings.Crossing
@_exported public import struct VicinityCrossings.CrossingOptions
@_exported public import enum VicinityCrossings.CrossingOptionsError
@_exported public import enum VicinityCrossings.CrossingRule
// Fixes and crossings.
@_exported public import struct VicinityCrossings.Fix
@_exported public import struct VicinityCrossings.FixCounts
@_exported public import struct VicinityCrossings.Fleet
@_exported public import typealias VicinityCrossings.MetersPerSecond
@_exported public import struct VicinityCrossings.Timestamp
@_exported public import enum VicinityCrossings.TrackError
// Places and distances.
@_exported public import struct VicinityGeodesy.Coordinate
@_exported public import typealias VicinityGeodesy.Degrees
@_exported public import enum VicinityGeodesy.Geodesic
@_exported public import enum VicinityGeodesy.GeodesyError
@_exported public import typealias VicinityGeodesy.Meters
@_exported public import struct VicinityIndex.IdentifiedNeighbor
@_exported public import enum VicinityIndex.IndexFormatError
@_exported public import struct VicinityIndex.Neighbor
@_exported public import struct VicinityIndex.Neighbors
@_exported public import enum VicinityIndex.QueryError
@_exported public import struct VicinityIndex.QueryOptions
// Regions and queries.
@_exported public import struct VicinityIndex.Region
@_exported public import enum VicinityIndex.RegionError
@_exported public import struct VicinityIndex.RegionIndex
@_exported public import enum VicinityIndex.Tier
@_exported public import struct VicinityIndex.UpdatableRegionIndex
@_exported public import struct VicinityMonitor.BeaconIdentity
@_exported public import enum VicinityMonitor.Condition
@_exported public import enum VicinityMonitor.ConditionLimit
@_exported public import struct VicinityMonitor.ConditionOptions
@_exported public import enum VicinityMonitor.DesiredAccuracy
@_exported public import struct VicinityMonitor.Diagnostics
@_exported public import class VicinityMonitor.InMemoryRecords
@_exported public import struct VicinityMonitor.LatencyForecast
// The monitor.
@_exported public import class VicinityMonitor.Monitor
@_exported public import struct VicinityMonitor.MonitorEnvironment
@_exported public import enum VicinityMonitor.MonitorError
@_exported public import enum VicinityMonitor.MonitorInput
@_exported public import struct VicinityMonitor.MonitorOptions
@_exported public import protocol VicinityMonitor.MonitoringDevice
@_exported public import struct VicinityMonitor.MonitoringEvent
@_exported public import struct VicinityMonitor.MonitoringRecord
@_exported public import enum VicinityMonitor.MonitoringState
@_exported public import struct VicinityMonitor.NewCondition
@_exported public import struct VicinityMonitor.NoDevice
@_exported public import enum VicinityMonitor.Presence
@_exported public import struct VicinityMonitor.ProximityUUID
@_exported public import enum VicinityMonitor.RecordStoreError
@_exported public import protocol VicinityMonitor.RecordStoreOpener
@_exported public import struct VicinityMonitor.RegionOptions
@_exported public import class VicinityMonitor.ReplayClock
@_exported public import enum VicinityMonitor.Strategy
@_exported public import struct VicinityMonitor.WakeServices
@_exported public import struct VicinityMonitor.WatchLogEntry
// How slots are planned.
@_exported public import struct VicinityPlanner.Plan
@_exported public import struct VicinityPlanner.PlanOptions
@_exported public import enum VicinityPlanner.PlanOptionsError
// Polygons.
@_exported public import struct VicinityPolygon.Polygon
@_exported public import enum VicinityPolygon.PolygonError
@_exported public import enum VicinityPolygon.PolygonFault
