import Testing
import VicinitySimulation

@testable import VicinityCalibration

@Suite("Goals of a validation")
struct GoalTests {
  private func row(
    _ quantity: Validation.Quantity = .drain, measured: Double = 2, predicted: Double,
    interval: ClosedRange<Double>? = nil, count: Int = 5, isJudged: Bool = true
  ) -> Validation.Row {
    Validation.Row(
      platform: .ios, regime: "regime", tier: "best", isMoving: true, quantity: quantity, measured: measured,
      interval: interval, count: count, ranges: count, predicted: predicted, note: "", isJudged: isJudged)
  }

  @Test("A goal is met by the share, at either end of it")
  func share() {
    for quantity in [Validation.Quantity.errorMedian, .drain] {
      #expect(row(quantity, predicted: 2.29).verdict == .met)
      #expect(row(quantity, predicted: 1.71).verdict == .met)
      #expect(row(quantity, predicted: 2.31).verdict == .missed)
      #expect(row(quantity, predicted: 1.69).verdict == .missed)
    }
    #expect(row(.exitLatency, predicted: 2.39).verdict == .met)
    #expect(row(.exitLatency, predicted: 2.41).verdict == .missed)
    for quantity in [Validation.Quantity.errorTail, .reportedMedian, .intervalMedian] {
      #expect(row(quantity, predicted: 2).verdict == nil)
    }
  }

  @Test("Fewer than ten numbers meet it by their interval as well, and that is said")
  func interval() {
    #expect(row(predicted: 3, interval: 1...3, count: 9).verdict == .metByInterval)
    #expect(row(predicted: 3.1, interval: 1...3, count: 9).verdict == .missed)
    #expect(row(predicted: 3, interval: 1...3, count: 10).verdict == .missed)
    #expect(row(predicted: 3, interval: nil, count: 9).verdict == .missed)
    // What the share meets is not called met by the interval.
    #expect(row(predicted: 2, interval: 1...3, count: 9).verdict == .met)
    #expect(row(predicted: 2, interval: 3...4, count: 9).verdict == .met)
  }

  @Test("Where nothing was measured, a prediction of nothing is no success")
  func nothing() {
    let row = row(measured: 0, predicted: 0, interval: 0...0.47)
    #expect(row.verdict == nil)
    #expect(row.difference == nil)
    #expect(self.row(measured: 0, predicted: 0.4, interval: 0...0.47).verdict == nil)
    #expect(self.row(measured: 0, predicted: 0).verdict == nil)
    // One outside the interval is wrong all the same.
    #expect(self.row(measured: 0, predicted: 0.5, interval: 0...0.47).verdict == .missed)
  }

  @Test("What rests on the judged days is not judged")
  func unjudged() {
    #expect(row(predicted: 2, isJudged: false).verdict == nil)
    #expect(row(predicted: 9, isJudged: false).verdict == nil)
  }

  @Test("Goals are counted by how they are met; what cannot be told is apart")
  func counts() {
    let rows = [
      row(predicted: 2), row(.errorMedian, predicted: 2.1), row(.exitLatency, predicted: 1.7),
      row(predicted: 3, interval: 1...3), row(predicted: 3, interval: 1...4),
      row(predicted: 3),
      row(measured: 0, predicted: 0, interval: 0...1), row(predicted: 2, isJudged: false),
      row(.errorTail, predicted: 2), row(.intervalMedian, measured: 0, predicted: 0),
    ]
    let validation = Validation(rows: rows, filterEffects: [], splits: [], truthNoise: 0, notes: [])
    let goals = validation.goals(.day)
    #expect(validation.goals(.outing).total == 0)
    #expect(goals.met == 3)
    #expect(goals.metByInterval == 2)
    #expect(goals.missed == 1)
    #expect(goals.notCounted == 2)
    #expect(goals.total == 6)
    #expect(Validation.Goals([]).total == 0)
  }

  @Test(
    "The order of drains counts where the measured intervals do not overlap, among phones of a kind and an activity"
  )
  func energyOrder() {
    func drain(_ interval: ClosedRange<Double>?, predicted: Double) -> Validation.Row {
      row(measured: 2, predicted: predicted, interval: interval)
    }
    let rows = [drain(1...2, predicted: 1.5), drain(3...4, predicted: 3), drain(5...6, predicted: 2)]
    let order = Validation.EnergyOrder(rows)
    #expect(order.pairs == 3 && order.right == 2)
    // Neither overlapping intervals nor none, other quantities, what is not judged, nor another activity or
    // kind of phone.
    var still = drain(9...10, predicted: 9)
    still.isMoving = false
    var other = drain(9...10, predicted: 9)
    other.platform = .android
    var unjudged = drain(9...10, predicted: 9)
    unjudged.isJudged = false
    let none = [
      rows[0], drain(2...3, predicted: 1), drain(nil, predicted: 9), still, other, unjudged,
      row(.errorMedian, measured: 9, predicted: 9, interval: 9...10),
    ]
    #expect(Validation.EnergyOrder(none).pairs == 0)
    // What is predicted alike is in no order.
    #expect(Validation.EnergyOrder([drain(1...2, predicted: 3), drain(3...4, predicted: 3)]).right == 0)
  }
}
