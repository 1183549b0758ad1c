extension PhoneEvent {
  /// What it is called in timelines: `entered_background`.
  public var name: String {
    switch self {
    case .launched: "launched"
    case .becameActive: "became_active"
    case .enteredBackground: "entered_background"
    case .willEnterForeground: "will_enter_foreground"
    case .willTerminate: "will_terminate"
    case .taskExpires: "task_expires"
    case .memoryWarning: "memory_warning"
    case .locations: "locations"
    case .locationUpdatesPaused: "location_updates_paused"
    case .locationUpdatesResumed: "location_updates_resumed"
    case .deferredUpdatesFinished: "deferred_updates_finished"
    case .locationUnknown: "location_unknown"
    case .entered: "entered"
    case .exited: "exited"
    case .determined: "determined"
    case .monitoringFailed: "monitoring_failed"
    case .visited: "visited"
    case .ranged: "ranged"
    case .heading: "heading"
    case .timer: "timer"
    case .keptAlive: "kept_alive"
    case .socketData: "socket_data"
    }
  }
}
