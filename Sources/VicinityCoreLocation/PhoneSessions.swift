#if canImport(CoreLocation) && !os(macOS) && !os(watchOS) && !os(tvOS) && !os(visionOS)
  public import CoreLocation
  internal import VicinityMonitor

  // What an app holds while it wants events: a service session and, with permission in use only, a background
  // activity session. What each reports goes into the environment, and so to the conditions that it suspends.
  // A new session is begun before the one that it replaces is ended, so that one is held all the time.
  extension PhoneDevice {
    /// Holds a service session, in place of one held before. Without a decision of the user's so far, Core
    /// Location asks.
    ///
    /// To be called at every launch, also in the background, and before the monitor is opened; and each time
    /// the app comes to the front, in place of one that Core Location may have refused behind. Not at other
    /// times behind: one that is begun there takes the place of a good one, and with permission in use it is
    /// refused.
    ///
    /// - Parameters:
    ///   - requirement: What the app needs; `.always` for events in the background.
    ///   - fullAccuracyPurposeKey: The key in the app's Info.plist of why it needs precise positions; nil not
    ///     to ask for them.
    public func beginServiceSession(
      _ requirement: CLServiceSession.AuthorizationRequirement = .always,
      fullAccuracyPurposeKey: String? = nil
    ) {
      let session =
        if let fullAccuracyPurposeKey {
          CLServiceSession(authorization: requirement, fullAccuracyPurposeKey: fullAccuracyPurposeKey)
        } else {
          CLServiceSession(authorization: requirement)
        }
      services.hold(session)
    }

    /// Ends the service session.
    public func endServiceSession() { services.endServiceSession() }

    /// Begins background activity: the app stays in use, with an indicator that the user sees, until
    /// ``endBackgroundActivity()``. To be called in front, and again at a launch in the background to go on
    /// with it: at once, since the system ends a session that the next process does not begin again
    /// (CLBackgroundActivitySession.h). A monitor that holds one (`Presence.indicator`) begins it only when
    /// it is open; an app whose store takes long to open calls this at launch, too, and
    /// ``endBackgroundActivity()`` once the monitor is open, which keeps the session.
    public func beginBackgroundActivity() { services.beginActivity(for: nil) }

    /// Ends background activity that ``beginBackgroundActivity()`` began. It goes on as long as a monitor
    /// wants it.
    public func endBackgroundActivity() { services.endActivity(for: nil) }
  }

  extension PhoneServices {
    func hold(_ session: CLServiceSession) {
      let before = serviceSession
      let held = HeldSession { session.invalidate() }
      serviceSession = held
      held.task = Task { [weak self] in
        do {
          for try await diagnostic in session.diagnostics {
            guard let self, !Task.isCancelled else { return }
            note(
              ServiceReport(
                diagnostics: Diagnostics(diagnostic), isAlwaysDenied: diagnostic.alwaysAuthorizationDenied))
          }
        } catch {
          self?.note(error)
        }
      }
      before?.end()
      serviceReport?.forgetSession()
      var new = environment
      new.hasServiceSession = true
      setAllowed(in: &new)
      environment = new
    }

    func endServiceSession() {
      serviceSession?.end()
      serviceSession = nil
      serviceReport = nil
      var new = environment
      new.hasServiceSession = false
      setAllowed(in: &new)
      environment = new
    }

    private func note(_ report: ServiceReport) {
      serviceReport = report
      var new = environment
      setAllowed(in: &new)
      environment = new
    }

    /// Holds a background activity session for a channel, or for the app where that is nil. One that is held
    /// already is enough for a channel; the app, and whoever asks while it is not in force, gets a new one.
    func beginActivity(for channel: String?) {
      wantsActivity.insert(channel)
      if channel != nil, activitySession != nil, hasBackgroundActivity { return }
      let before = activitySession
      let session = CLBackgroundActivitySession()
      let held = HeldSession { session.invalidate() }
      activitySession = held
      held.task = Task { [weak self] in
        do {
          for try await diagnostic in session.diagnostics {
            guard let self, !Task.isCancelled else { return }
            let diagnostics = Diagnostics(diagnostic)
            environment.reported[.backgroundActivity] = diagnostics
            hasBackgroundActivity = diagnostics.isEmpty
          }
        } catch {
          self?.note(error)
        }
      }
      before?.end()
      hasBackgroundActivity = true
    }

    /// Ends the session when nobody wants it any longer. Dropping a session does not end it (Apple Developer
    /// Forums, thread 767929).
    func endActivity(for channel: String?) {
      guard wantsActivity.remove(channel) != nil, wantsActivity.isEmpty else { return }
      activitySession?.end()
      activitySession = nil
      hasBackgroundActivity = false
      environment.reported[.backgroundActivity] = nil
    }
  }

  extension Diagnostics {
    init(_ diagnostic: CLServiceSession.Diagnostic) {
      self = []
      if diagnostic.authorizationDenied { insert(.authorizationDenied) }
      if diagnostic.authorizationDeniedGlobally { insert(.authorizationDeniedGlobally) }
      if diagnostic.authorizationRestricted { insert(.authorizationRestricted) }
      if diagnostic.authorizationRequestInProgress { insert(.authorizationRequestInProgress) }
      if diagnostic.fullAccuracyDenied { insert(.accuracyLimited) }
      if diagnostic.insufficientlyInUse { insert(.insufficientlyInUse) }
      if diagnostic.serviceSessionRequired { insert(.serviceSessionRequired) }
    }

    init(_ diagnostic: CLBackgroundActivitySession.Diagnostic) {
      self = []
      if diagnostic.authorizationDenied { insert(.authorizationDenied) }
      if diagnostic.authorizationDeniedGlobally { insert(.authorizationDeniedGlobally) }
      if diagnostic.authorizationRestricted { insert(.authorizationRestricted) }
      if diagnostic.authorizationRequestInProgress { insert(.authorizationRequestInProgress) }
      if diagnostic.insufficientlyInUse { insert(.insufficientlyInUse) }
      if diagnostic.serviceSessionRequired { insert(.serviceSessionRequired) }
    }
  }
#endif

#if canImport(CoreLocation) && os(macOS)
  // A computer has no sessions.
  extension PhoneServices {
    func beginActivity(for channel: String?) {}
    func endActivity(for channel: String?) {}
  }
#endif
