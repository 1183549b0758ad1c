#if canImport(CoreLocation) && !os(macOS)
  public import CoreLocation
  internal import VicinityMonitor

  // What an app holds while it wants events: a service session and, with permission in use only, a background activity session. What
  // each reports goes into the environment, and so to the conditions that it suspends.
  extension PhoneDevice {
    /// Holds a service session, in place of one held before. Without a decision of the user's so far, Core Location asks.
    ///
    /// To be called at every launch, also in the background, and before the monitor is opened.
    ///
    /// - Parameters:
    ///   - requirement: What the app needs; `.always` for events in the background.
    ///   - fullAccuracyPurposeKey: The key in the app's Info.plist of why it needs precise positions; nil not to ask for them.
    public func beginServiceSession(
      _ requirement: CLServiceSession.AuthorizationRequirement = .always,
      fullAccuracyPurposeKey: String? = nil
    ) {
      endServiceSession()
      let session =
        if let fullAccuracyPurposeKey {
          CLServiceSession(authorization: requirement, fullAccuracyPurposeKey: fullAccuracyPurposeKey)
        } else {
          CLServiceSession(authorization: requirement)
        }
      environment.hasServiceSession = true
      serviceSession = HeldSession(
        task: Task { [weak self] in
          do {
            for try await diagnostic in session.diagnostics {
              self?.note(Diagnostics(diagnostic), isAlwaysDenied: diagnostic.alwaysAuthorizationDenied)
            }
          } catch {
            self?.note(error)
          }
        }, invalidate: { session.invalidate() })
    }

    /// Ends the service session.
    public func endServiceSession() {
      serviceSession?.end()
      serviceSession = nil
      environment.hasServiceSession = false
      environment.reported[.serviceSession] = nil
    }

    /// Begins background activity: the app stays in use, with an indicator that the user sees, until ``endBackgroundActivity()``. To be
    /// called in front, and again at a launch in the background to go on with it.
    public func beginBackgroundActivity() {
      endBackgroundActivity()
      let session = CLBackgroundActivitySession()
      hasBackgroundActivity = true
      backgroundActivity = HeldSession(
        task: Task { [weak self] in
          do {
            for try await diagnostic in session.diagnostics {
              let diagnostics = Diagnostics(diagnostic)
              self?.environment.reported[.backgroundActivity] = diagnostics
              self?.hasBackgroundActivity = diagnostics.isEmpty
            }
          } catch {
            self?.note(error)
          }
        }, invalidate: { session.invalidate() })
    }

    /// Ends background activity. Dropping a session does not end it (Apple Developer Forums, thread 767929).
    public func endBackgroundActivity() {
      backgroundActivity?.end()
      backgroundActivity = nil
      hasBackgroundActivity = false
      environment.reported[.backgroundActivity] = nil
    }

    private func note(_ diagnostics: Diagnostics, isAlwaysDenied: Bool) {
      var new = environment
      new.reported[.serviceSession] = diagnostics
      new.isRequestInProgress = diagnostics.contains(.authorizationRequestInProgress)
      if isAlwaysDenied, new.authorization == .always { new.authorization = .whenInUse }
      environment = new
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
