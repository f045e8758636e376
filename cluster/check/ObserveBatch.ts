/** Passes a batch of check results to the actors of their monitors on this runner, each monitor's results in order. */
import { Effect, Fiber, Option } from "effect"
import type { CheckResult } from "../../schema/check/Bus.ts"
import type { Observation, Snapshot } from "../../schema/monitor/Machine.ts"
import { type TakenIn, Unhandled } from "../../src/bus/Bus.ts"
import { observationOf } from "../../src/domain/check/history/CheckView.ts"
import type { CountedResult } from "../../src/store/check/CheckRows.ts"
import type { HeldShards } from "../HeldShards.ts"
import { makeMonitorCalls } from "../monitor/MonitorCalls.ts"
import { entityId, MonitorEntity, type Observed } from "../monitor/MonitorProtocol.ts"
import { makeMonitorQueues, notCounted, type Waiting } from "./MonitorQueues.ts"
import { makeTraceResults, type TraceResults } from "./TraceResults.ts"
import { makeWaitingRoom, type WaitingRoom } from "./WaitingRoom.ts"

/** How long answers of actors gather, so that changes of state that were committed together are stored together. */
const gatherFor = "20 millis"

/** Results and snapshots to store together. */
export interface ToStore {
  readonly counted: Array<CountedResult>
  readonly snapshots: Array<Snapshot>
  moved: boolean
}

const nothingToStore = (): ToStore => ({ counted: [], snapshots: [], moved: false })

/** Takes the results of a batch once they are observed: they are stored when the effect that `store` returns completes. */
export interface ResultSink {
  readonly store: (toStore: ToStore) => Effect.Effect<Effect.Effect<void>>
  readonly leaveOut: (result: CheckResult) => void
}

const addTo = (
  toStore: ToStore,
  result: CheckResult,
  observed: Observed,
  { leaveOut }: Pick<ResultSink, "leaveOut">
): void => {
  if (observed.isForeign === true) return leaveOut(result)
  toStore.counted.push({ result, counted: observed.counted })
  if (observed.snapshot !== null) toStore.snapshots.push(observed.snapshot)
  toStore.moved ||= observed.moved
}

/** The results of a batch whose actors were asked. What was answered is stored while the others wait. */
const makeLateResults = (sink: ResultSink, room: WaitingRoom, traces: TraceResults | null) => {
  const { leaveOut, store } = sink
  const news = Effect.unsafeMakeLatch(false)
  let answers = nothingToStore()
  let open = 0
  let isComplete = true

  return {
    expect: (result: CheckResult, now: number): Waiting => {
      let isSettled = false
      const settle = (end: () => void) => {
        if (isSettled) return
        isSettled = true
        end()
        traces?.end(result)
        open--
        room.leave(waiting)
        news.unsafeOpen()
      }
      const waiting: Waiting = {
        result,
        isSettled: () => isSettled,
        answered: (observed) => settle(() => addTo(answers, result, observed, sink)),
        leftOut: () =>
          settle(() => {
            isComplete = false
            leaveOut(result)
          })
      }
      open++
      room.enter(waiting, now)
      return waiting
    },
    /** Completes when all are stored; fails if some were left out. */
    allStored: Effect.gen(function*() {
      const stored: Array<Effect.Effect<void>> = []
      while (open > 0 || answers.counted.length > 0) {
        yield* news.await
        yield* Effect.sleep(gatherFor)
        news.unsafeClose()
        const answered = answers
        answers = nothingToStore()
        if (answered.counted.length > 0) stored.push(yield* store(answered))
      }
      yield* Effect.all(stored, { discard: true })
      if (!isComplete) return yield* new Unhandled()
    })
  }
}

/** The observer of batches; `isTrusted` says whether a result may count. The asks of a batch end with the scope. */
export const makeObserveBatch = Effect.fnUntraced(function*(
  shards: HeldShards,
  isTrusted: (result: CheckResult) => boolean
) {
  const calls = yield* makeMonitorCalls
  const monitor = yield* MonitorEntity.client
  const scope = yield* Effect.scope

  const traces = yield* makeTraceResults
  const askActor = (result: CheckResult, check: Observation) =>
    monitor(entityId(result.workspaceId, result.monitorId)).Observe({ ...check, ...traces?.spanOf(result) })
  const queues = yield* makeMonitorQueues(shards, (result) => {
    const check = observationOf(result, isTrusted(result))
    return calls.observe(result.workspaceId, check, Effect.suspend(() => askActor(result, check)))
  })

  const room = yield* makeWaitingRoom((givenUp) => {
    for (const one of givenUp) one.answered(notCounted)
    queues.forgetSettled(new Set(givenUp.map(({ result }) => result.monitorId)))
  })

  /** A throw must not fail the batch: the result then waits for its actor. */
  const observeNow = Option.liftThrowable((result: CheckResult, now: number) =>
    calls.observeNow(result.workspaceId, observationOf(result, isTrusted(result)), now)
  )

  /** Most checks change nothing and take a plain call; one that needs its actor holds back its monitor's later checks, but no others. */
  return Effect.fnUntraced(function*(batch: ReadonlyArray<CheckResult>, now: number, sink: ResultSink) {
    const toStore = nothingToStore()
    const late = makeLateResults(sink, room, traces)
    const waiting: Array<Waiting> = []
    const asked = new Set<string>()
    for (const result of batch) {
      const mustWait = asked.has(result.monitorId) || queues.has(result.monitorId)
      traces?.begin(result)
      const observed = mustWait ? null : Option.getOrNull(observeNow(result, now))
      if (observed !== null) {
        addTo(toStore, result, observed, sink)
        traces?.end(result)
      } else if (room.hasRoom(result.workspaceId)) {
        asked.add(result.monitorId)
        waiting.push(late.expect(result, now))
      } else {
        room.turnedAway()
        traces?.end(result, "no_room")
        addTo(toStore, result, notCounted, sink)
      }
    }
    yield* queues.add(waiting)
    const stored = toStore.counted.length === 0 ? Effect.void : yield* sink.store(toStore)
    const taken: TakenIn = { stored, late: null }
    if (waiting.length === 0) return taken
    const allStored = yield* Effect.forkIn(late.allStored, scope)
    return { ...taken, late: { results: new Set(waiting.map(({ result }) => result)), stored: Fiber.join(allStored) } }
  })
})
