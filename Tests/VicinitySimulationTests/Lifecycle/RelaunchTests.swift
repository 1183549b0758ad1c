import Testing
import VicinityCrossings
import VicinityMonitor

@testable import VicinitySimulation

@Suite("App lifecycle: relaunch, restart, keep-alive, sleep")
struct RelaunchTests {
  @Test("An event starts an app that has no process: launched, then the event, then ten seconds")
  func relaunch() throws {
    let stage = try Stage([(100, .forceQuit)])
    stage.event(.entered(region: "a"), at: 200)
    stage.go(to: 300)
    #expect(
      stage.story.dropFirst(3) == [
        "100 NOTRUNNING", "200 BACKGROUND", "200 launched location", "200 entered a", "210 SUSPENDED",
      ])
    #expect(stage.phone.counts.relaunches == 1)
    #expect(stage.phone.counts.wakes == 0)
  }

  @Test("Rules say whether an app that was ended with force is relaunched, until it is opened again")
  func forceQuit() throws {
    var rules = BackgroundRules.iOS13
    rules.relaunchesForceQuit = false
    let stage = try Stage(
      [(100, .forceQuit), (300, .openApp), (310, .leaveApp), (320, .memoryPressure)], rules: rules)
    #expect(!stage.event(.entered(region: "a"), at: 200))
    #expect(stage.event(.entered(region: "b"), at: 400))
    #expect(stage.story.suffix(3) == ["400 BACKGROUND", "400 launched location", "400 entered b"])
  }

  @Test("After a restart events wait for the first unlock, by opening the app or lighting the display")
  func firstUnlock() throws {
    let opened = try Stage([(100, .restart), (300, .openApp)])
    #expect(opened.event(.entered(region: "a"), at: 200))
    #expect(opened.event(.exited(region: "a"), at: 210))
    opened.go(to: 400)
    #expect(
      opened.story.dropFirst(3) == [
        "100 NOTRUNNING", "300 FOREGROUND", "300 launched user", "300 becameActive", "300 entered a",
        "300 exited a",
      ])

    let lit = try Stage(
      [(100, .restart)],
      surroundings: SurroundingsTimeline(changes: [
        .init(time: Stage.time(300), surroundings: PhoneSurroundings(isScreenOn: true))
      ]))
    lit.event(.entered(region: "a"), at: 200)
    lit.event(.exited(region: "a"), at: 400)
    lit.go(to: 500)
    #expect(
      lit.story.dropFirst(4) == [
        "300 BACKGROUND", "300 launched location", "300 entered a", "310 SUSPENDED", "400 BACKGROUND",
        "400 exited a", "410 SUSPENDED",
      ])

    var rules = BackgroundRules.iOS13
    rules.needsFirstUnlock = false
    let open = try Stage([(100, .restart)], rules: rules)
    open.event(.entered(region: "a"), at: 200)
    #expect(open.story.last == "200 entered a")
  }

  @Test("Apps that are kept alive start at boot and after an exit with a status other than zero")
  func keptAliveStarts() throws {
    let kept = AppCapabilities(isKeptAlive: true)
    for (action, isStarted) in [
      (UserAction.restart, true), (.exit(status: 1), true), (.exit(status: 0), false), (.forceQuit, false),
    ] {
      let stage = try Stage([(100, action)], capabilities: kept)
      stage.go(to: 200)
      let lines = ["100 BACKGROUND", "100 launched keepAlive", "110 SUSPENDED"]
      #expect(stage.story.dropFirst(4) == (isStarted ? lines : [])[...], "\(action)")
      let other = try Stage([(100, action)])
      other.go(to: 200)
      #expect(other.phone.appState == .notRunning)
    }
  }

  @Test("The keep-alive handler comes at its intervals, in the background only, and has 30 s")
  func keepAlive() throws {
    for (work, isKilled) in [(25, false), (31, true)] {
      let stage = try Stage(
        [(1000, .leaveApp)], capabilities: AppCapabilities(isKeptAlive: true)
      ) { phone, event in
        switch event {
        case .launched(.user):
          #expect(!phone.setKeepAliveHandler(interval: .seconds(599)))
          #expect(phone.setKeepAliveHandler(interval: .seconds(700)))
        case .keptAlive: phone.work(.seconds(work))
        default: break
        }
      }
      stage.go(to: 2200)
      // Not at 700 s, in front.
      let lines =
        isKilled
        ? [
          "1400 BACKGROUND", "1400 keptAlive", "1430 NOTRUNNING", "1430 BACKGROUND",
          "1430 launched keepAlive",
        ]
        : ["1400 BACKGROUND", "1400 keptAlive", "1425 SUSPENDED", "2100 BACKGROUND", "2100 keptAlive"]
      #expect(stage.story.dropFirst(6).prefix(5) == lines[...])
      #expect(stage.phone.counts.kills == (isKilled ? 1 : 0))
    }
    let other = try Stage { phone, _ in #expect(!phone.setKeepAliveHandler(interval: .seconds(700))) }
    other.go(to: 1000)
  }

  @Test("By the guides the handler comes before the interval is over")
  func keepAliveLead() throws {
    for (rules, times) in [(BackgroundRules.iOS7, [690.0, 1380]), (.iOS13, [700, 1400])] {
      let stage = try Stage(
        [(10, .leaveApp)], rules: rules, capabilities: AppCapabilities(isKeptAlive: true)
      ) { phone, event in
        if case .launched = event { phone.setKeepAliveHandler(interval: .seconds(700)) }
      }
      stage.go(to: 2000)
      let told = stage.phone.timeline.filter { $0.kind == .delivered(.keptAlive) }.map(\.time.seconds)
      #expect(told == times)
    }
  }

  @Test("A keep-alive app that is ended for memory is started again")
  func keptAliveForMemory() throws {
    for isKept in [true, false] {
      let stage = try Stage(
        [(100, .leaveApp), (200, .memoryPressure)], capabilities: AppCapabilities(isKeptAlive: isKept))
      stage.go(to: 300)
      let started = ["200 BACKGROUND", "200 launched keepAlive", "210 SUSPENDED"]
      #expect(Array(stage.story.dropFirst(6)) == ["200 NOTRUNNING"] + (isKept ? started : []))
    }
  }

  @Test("Data wakes an app that is kept alive by a socket that is configured for that, and no other")
  func sockets() throws {
    for (isKept, isVoIP, isWoken) in [(true, true, true), (true, false, false), (false, true, false)] {
      let stage = try Stage(
        [
          (40, .socketData), (45, .app(.connectSocket(wakesApp: isVoIP))), (50, .socketData),
          (100, .leaveApp), (200, .socketData),
        ],
        capabilities: AppCapabilities(isKeptAlive: isKept))
      stage.go(to: 300)
      let story = stage.story.filter { !$0.contains("service") }
      #expect(story[3] == "40 lost data for an app that has connected no socket")
      #expect(story[4] == "50 socketData")
      let woken = ["200 BACKGROUND", "200 socketData", "210 SUSPENDED"]
      let lost = ["200 lost data while the app was suspended: its socket is not one that wakes it"]
      #expect(Array(story.dropFirst(8)) == (isWoken ? woken : lost))
    }
  }

  @Test("A socket ends with its process: the next one connects again before data wakes it")
  func socketOfAProcess() throws {
    for connects in [true, false] {
      let stage = try Stage(
        [
          (10, .app(.connectSocket(wakesApp: true))), (100, .exit(status: 1)), (200, .socketData),
          (300, .app(.disconnectSocket)), (400, .socketData),
        ],
        capabilities: AppCapabilities(isKeptAlive: true)
      ) { phone, event in
        if case .launched(.keepAlive) = event, connects { phone.connectSocket(wakesApp: true) }
      }
      stage.go(to: 250)
      #expect(stage.story.contains("200 socketData") == connects)
      #expect(stage.story.contains("200 lost data for an app that has connected no socket") != connects)
    }
  }

  @Test("A process that a significant change has started is told of it once it has started the service, too")
  func startedAgain() throws {
    let change = PhoneEvent.locations(
      [Fix(time: Stage.time(190), coordinate: Route.place(0), horizontalAccuracy: 500)],
      from: .significantChange)
    for again in [true, false] {
      let stage = try Stage([(100, .forceQuit)]) { phone, event in
        guard case .launched(let reason) = event, reason == .user || again else { return }
        phone.startMonitoringSignificantLocationChanges()
      }
      stage.event(change, at: 200)
      stage.go(to: 300)
      #expect(stage.story.contains("200 launched location"))
      #expect(stage.story.contains("200 locations 1") == again)
      let lost = "200 lost a significant change: the app has not started the service since its launch"
      #expect(stage.story.contains(lost) != again)
    }
  }

  @Test("On a computer apps go on in the background, are not relaunched, and stand still while it sleeps")
  func computer() throws {
    let stage = try Stage(
      [(100, .leaveApp), (200, .sleep), (250, .openApp), (300, .wake), (400, .exit(status: 1))],
      rules: .macOS
    ) { phone, event in
      switch event {
      case .enteredBackground: phone.setTimer(after: .seconds(150))
      case .entered: phone.work(.seconds(5))
      default: break
      }
    }
    #expect(stage.event(.entered(region: "a"), at: 198))
    #expect(!stage.event(.entered(region: "b"), at: 220))
    stage.go(to: 350)
    // 2 s of the work were done before sleep, 3 s are left; the timer of 250 s is late.
    #expect(
      stage.story.dropFirst(3) == [
        "100 BACKGROUND", "100 enteredBackground", "198 entered a", "250 lost openApp, while asleep",
        "303 timer 1",
      ])
    #expect(!stage.event(.entered(region: "c"), at: 500))
    #expect(stage.phone.counts.backgroundSeconds == 200)
    let result = stage.finish()
    #expect(result.uses(0.5 * 5, of: .app, within: 1e-12))
    #expect(result.counts.relaunches == 0)
  }

  @Test("What comes due while a computer sleeps comes when it wakes")
  func computerTimer() throws {
    let stage = try Stage([(100, .leaveApp), (200, .sleep), (300, .wake)], rules: .macOS) { phone, event in
      if event == .enteredBackground { phone.setTimer(after: .seconds(150)) }
    }
    stage.go(to: 400)
    #expect(stage.story.dropFirst(3) == ["100 BACKGROUND", "100 enteredBackground", "300 timer 1"])
  }

  @Test("A phone does not sleep as a computer does")
  func phoneSleep() throws {
    let stage = try Stage([(100, .sleep)])
    #expect(stage.event(.entered(region: "a"), at: 200))
  }
}

@Suite("App lifecycle: timers and notifications")
struct TimerTests {
  @Test("Timers fire while the app runs, and late ones as soon as it goes on")
  func timers() throws {
    let stage = try Stage([(100, .leaveApp)]) { phone, event in
      guard case .launched = event else { return }
      phone.setTimer(after: .seconds(50))
      phone.setTimer(after: .seconds(130))
      phone.setTimer(after: .seconds(120))
      phone.cancelTimer(phone.setTimer(after: .seconds(60)))
      phone.setTimer(after: .seconds(205))
      phone.setTimer(after: .seconds(900))
    }
    stage.event(.entered(region: "a"), at: 200)
    stage.go(to: 1000)
    #expect(
      stage.story.dropFirst(3) == [
        "50 timer 1", "100 BACKGROUND", "100 enteredBackground", "100 SUSPENDED", "200 BACKGROUND",
        "200 entered a", "200 timer 3", "200 timer 2", "205 timer 5", "210 SUSPENDED",
      ])
  }

  @Test("A timer that has come due while the main thread works can still be cancelled")
  func cancelled() throws {
    let stage = try Stage { phone, event in
      switch event {
      case .launched:
        phone.setTimer(after: .seconds(10))
        phone.setTimer(after: .seconds(11))
      case .entered: phone.work(.seconds(5))
      case .timer(1): phone.cancelTimer(2)
      default: break
      }
    }
    stage.event(.entered(region: "a"), at: 9)
    stage.go(to: 20)
    #expect(stage.story.suffix(2) == ["9 entered a", "14 timer 1"])
  }

  @Test("A timer without delay lets time pass")
  func noDelay() throws {
    let stage = try Stage { phone, event in
      switch event {
      case .launched, .timer: phone.setTimer(after: .zero)
      default: break
      }
    }
    stage.go(to: 0.1)
    #expect(stage.story.count == 3 + 1000)
  }

  @Test(
    "Local notifications are shown without the app, the soonest 128 of them by the guides, 64 on modern phones",
    arguments: [(BackgroundRules.iOS4, 128), (.iOS7, 128), (.iOS13, 64), (.iOS17, 64)])
  func notifications(rules: BackgroundRules, limit: Int) throws {
    let stage = try Stage([(1, .leaveApp), (2, .memoryPressure)], rules: rules) { phone, event in
      guard case .launched(.user) = event else { return }
      do {
        try phone.schedule(
          NotificationRequest(identifier: "region", title: "", trigger: .region("a", onEntry: true)))
        for number in (1...140).reversed() {
          let discarded = try phone.schedule(
            NotificationRequest(
              identifier: "\(number)", title: "", trigger: .timeInterval(.seconds(10 * number))))
          #expect(discarded == (number <= 141 - limit ? ["\(number + limit - 1)"] : []))
        }
        phone.cancelNotifications(["3"])
        #expect(phone.pendingNotifications.count == limit - 1)
      } catch {
        Issue.record(error)
      }
    }
    stage.event(.entered(region: "a"), at: 15)
    stage.go(to: 2000)
    let shown = stage.story.filter { $0.contains("notified") }
    #expect(
      shown == ["10 notified 1", "15 notified region", "20 notified 2"]
        + (4..<limit).map { "\(10 * $0) notified \($0)" })
    #expect(stage.phone.counts.wakes == 0)
  }
}
