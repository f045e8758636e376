/** Runs drills: creates the test monitor, takes each stage, and writes the receipt. Takes over drills of dead processes. */
import { DateTime, Duration, Effect, Fiber, FiberSet, Option } from "effect"
import type { Drill, DrillInput, DrillStage, DrillStageName } from "../../../schema/drill/Drill.ts"
import type { Conflict, NotFound, RateLimited, Unavailable } from "../../../schema/Errors.ts"
import type { DrillId, UserId, WorkspaceId } from "../../../schema/Ids.ts"
import { advance, type DrillFacts, problemOf } from "../../domain/drill/DrillSteps.ts"
import { isFirstStep } from "../../domain/oncall/Escalation.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { makeId } from "../../domain/tools/Id.ts"
import { restartForever } from "../../loops/RestartForever.ts"
import { retryForever } from "../../loops/RetryForever.ts"
import { type RateLimit, RateLimits } from "../../store/access/RateLimits.ts"
import { Channels } from "../../store/alert/Channels.ts"
import { Drills } from "../../store/drill/Drills.ts"
import { AcknowledgeTokens } from "../../store/incident/AcknowledgeTokens.ts"
import { Incidents } from "../../store/incident/Incidents.ts"
import { Heartbeats } from "../../store/monitor/Heartbeats.ts"
import { Monitors } from "../../store/monitor/Monitors.ts"
import { IncidentAlerting } from "../../store/oncall/IncidentAlerting.ts"
import { OnCallPeople } from "../../store/oncall/OnCallPeople.ts"
import { DatabaseClock } from "../../store/postgres/DatabaseClock.ts"
import { AcknowledgeIncident } from "../incident/AcknowledgeIncident.ts"
import { ManageMonitors } from "../monitor/ManageMonitors.ts"
import { TakePings } from "../monitor/TakePings.ts"
import { orNoSuch } from "../NoSuch.ts"
import { makeBeginDrill } from "./BeginDrill.ts"
import { makePersonDrill } from "./PersonDrill.ts"

const perHour: RateLimit = { name: "drills", limit: 10, window: Duration.hours(1) }

/** How long the request waits for the end. */
const patience = Duration.seconds(25)
const lookEvery = Duration.millis(200)
const actAgainAfter = Duration.seconds(2)
const takeOverEvery = Duration.seconds(10)
const takeOverBatch = 10

const message = "This is a drill. Nothing is wrong."

const sinceOf = ({ createdAt }: Drill): string =>
  makeId("evt", DateTime.toEpochMillis(DateTime.subtractDuration(createdAt, Duration.minutes(1))), new Uint8Array(10))

const makeFacts = Effect.gen(function*() {
  const drills = yield* Drills
  const monitors = yield* Monitors
  const incidents = yield* Incidents
  const alerting = yield* IncidentAlerting
  const walk = yield* makePersonDrill

  return Effect.fnUntraced(function*(workspaceId: WorkspaceId, drill: Drill) {
    const monitor = Option.getOrNull(yield* monitors.find(workspaceId, drill.monitorId))
    const incidentId = drill.incidentId ?? monitor?.incidentId ?? null
    const found = { ...drill, incidentId }
    const incident = incidentId === null ? null : Option.getOrNull(yield* incidents.peek(workspaceId, incidentId))
    const next = incidentId === null
      ? null
      : Option.getOrNull(yield* alerting.find(workspaceId, incidentId))?.next ?? null
    const walked = yield* walk.look(workspaceId, found)
    const facts: DrillFacts = {
      detected: monitor?.state === "down" && incidentId !== null,
      down: yield* drills.alert(workspaceId, found, "monitor.down", sinceOf(drill)),
      paged: drill.person === undefined ? next === null || !isFirstStep(next) : walked.isDone,
      acknowledged: incident !== null && incident.acknowledgement !== null,
      recovered: monitor?.state === "up",
      up: yield* drills.alert(workspaceId, found, "monitor.up", sinceOf(drill))
    }
    return { incidentId, facts, ways: walked.ways }
  })
})

/** The actions that make the monitoring reach a stage. Repeating one changes nothing. */
const makeActions = Effect.gen(function*() {
  const monitors = yield* Monitors
  const pings = yield* TakePings
  const heartbeats = yield* Heartbeats
  const tokens = yield* AcknowledgeTokens
  const acknowledge = yield* AcknowledgeIncident
  const walk = yield* makePersonDrill

  const ping = (workspaceId: WorkspaceId, { monitorId }: Drill, status: "up" | "down") =>
    Effect.gen(function*() {
      const sealed = Option.getOrNull(yield* monitors.find(workspaceId, monitorId))?.tokenSealed ?? null
      if (sealed !== null) yield* pings.take(yield* heartbeats.token(monitorId, sealed), { status, message })
    })

  /** Acknowledges by the link of the alert, as its reader would. */
  const press = (workspaceId: WorkspaceId, { incidentId, monitorId, person }: Drill) =>
    Effect.gen(function*() {
      const monitor = Option.getOrNull(yield* monitors.find(workspaceId, monitorId))
      const recipient = person ?? monitor?.channelIds[0]
      if (incidentId === null || recipient === undefined) return
      yield* acknowledge.acknowledgeByLink(tokens.make({ incidentId, recipient }, yield* DateTime.now))
    })

  const take = (
    workspaceId: WorkspaceId,
    drill: Drill,
    stage: DrillStageName
  ): Effect.Effect<void, NotFound | Conflict | RateLimited | Unavailable> => {
    switch (stage) {
      case "detection":
        return ping(workspaceId, drill, "down")
      case "acknowledgement":
        return press(workspaceId, drill)
      case "recovery":
        return ping(workspaceId, drill, "up")
      case "alert":
        return walk.begin(workspaceId, drill)
      case "all_clear":
        return Effect.void
    }
  }

  /** Whether it was done. What failed is tried again until the drill's time is over. */
  return (workspaceId: WorkspaceId, drill: Drill, stage: DrillStageName): Effect.Effect<boolean> =>
    Effect.matchEffect(take(workspaceId, drill, stage), {
      onSuccess: () => Effect.succeed(true),
      onFailure: ({ message }) =>
        Effect.logWarning(`Drill ${drill.id} cannot take its stage ${stage}; trying again: ${message}`).pipe(
          Effect.zipRight(Effect.sleep(actAgainAfter)),
          Effect.as(false)
        )
    })
})

const makeDrive = Effect.gen(function*() {
  const drills = yield* Drills
  const factsOf = yield* makeFacts
  const act = yield* makeActions
  const clock = yield* DatabaseClock
  const { remove } = yield* ManageMonitors

  const finish = Effect.fnUntraced(function*(workspaceId: WorkspaceId, drill: Drill, waitsFor: DrillStageName | null) {
    const error = problemOf(waitsFor, drill)
    // First the monitor: if the process dies in between, another one does it again.
    yield* Effect.catchTag(remove(workspaceId, drill.monitorId), "not_found", () => Effect.void)
    const done: Drill = { ...drill, error, status: error === null ? "passed" : "failed", finishedAt: yield* clock.now }
    yield* drills.save(workspaceId, done)
    return done
  })

  return Effect.fn("RunDrills.drive")(function*(workspaceId: WorkspaceId, begun: Drill, deadlineAt: DateTime.Utc) {
    let drill = begun
    let acted: DrillStageName | null = null
    while (true) {
      const { facts, incidentId, ways } = yield* factsOf(workspaceId, drill)
      const { fresh, waitsFor } = advance(drill.stages.map(({ stage }) => stage), facts)
      const now = yield* clock.now
      const afterMs = DateTime.distance(drill.createdAt, now)
      const reached = fresh.map((stage): DrillStage => ({ stage, at: now, afterMs }))
      const { captured, paged, unreached } = incidentId === null
        ? { captured: [], paged: [], unreached: [] }
        : yield* drills.paged(workspaceId, incidentId, sinceOf(drill))
      drill = {
        ...drill,
        incidentId,
        paged,
        captured,
        unreached,
        ...(drill.person === undefined ? {} : { ways }),
        stages: [...drill.stages, ...reached],
        deliveries: [...facts.down.deliveries, ...facts.up.deliveries]
      }
      // Before the end, too: once the monitor is gone, another process could not see that it had recovered.
      yield* drills.save(workspaceId, drill)
      if (waitsFor === null || DateTime.greaterThan(now, deadlineAt)) return yield* finish(workspaceId, drill, waitsFor)
      if (acted !== waitsFor && (yield* act(workspaceId, drill, waitsFor))) acted = waitsFor
      yield* Effect.sleep(lookEvery)
    }
  })
})

export class RunDrills extends Effect.Service<RunDrills>()("belltower/RunDrills", {
  scoped: Effect.gen(function*() {
    const drills = yield* Drills
    const channels = yield* Channels
    const people = yield* OnCallPeople
    const limits = yield* RateLimits
    const begin = yield* makeBeginDrill
    const drive = yield* makeDrive
    const fork = yield* FiberSet.makeRuntime()

    const takeOver = Effect.gen(function*() {
      for (const { deadlineAt, workspaceId, ...drill } of yield* drills.takeAbandoned(takeOverBatch)) {
        fork(drive(workspaceId, drill, deadlineAt))
      }
    })
    yield* retryForever("Taking over drills", takeOver).pipe(
      Effect.zipRight(Effect.sleep(takeOverEvery)),
      Effect.forever,
      (loop) => restartForever("Taking over drills", loop),
      Effect.interruptible,
      Effect.forkScoped
    )

    const get = Effect.fn("RunDrills.get")((workspaceId: WorkspaceId, id: DrillId) =>
      orNoSuch("drill", id, drills.find(workspaceId, id))
    )

    const channelsOf = Effect.fnUntraced(function*(workspaceId: WorkspaceId, input: DrillInput) {
      const channelIds = [...new Set(input.channelIds ?? (yield* channels.defaultIds(workspaceId)))]
      const unknown = yield* channels.unknownIds(workspaceId, channelIds)
      if (channelIds.length > 0 && unknown.length === 0) return channelIds
      return yield* validationFailure([{
        path: "channelIds",
        message: unknown.length > 0
          ? `No channel ${unknown.join(", ")} in this workspace`
          : input.channelIds !== undefined
          ? "At least 1 item"
          : "There is no alert channel to send to; create one, or name one"
      }])
    })

    const ofPerson = Effect.fnUntraced(
      function*(workspaceId: WorkspaceId, { channelIds, person }: DrillInput & { readonly person: UserId }) {
        if (channelIds !== undefined) {
          return yield* validationFailure([{
            path: "channelIds",
            message: "channelIds does not go with person; send one of them"
          }])
        }
        if ((yield* people.some(workspaceId, [person])).length === 0) {
          return yield* validationFailure([{ path: "person", message: `No member ${person} in this workspace` }])
        }
      }
    )

    /** Returns the receipt after 25 s at most. Fails with `validation_failed`, `conflict`, or `rate_limited` above 10 an hour. */
    const start = Effect.fn("RunDrills.start")(function*(workspaceId: WorkspaceId, input: DrillInput) {
      const channelIds = input.person === undefined ? yield* channelsOf(workspaceId, input) : []
      if (input.person !== undefined) yield* ofPerson(workspaceId, { ...input, person: input.person })
      yield* limits.take(perHour, workspaceId)
      const { deadlineAt, drill } = yield* begin(workspaceId, channelIds, input.person)
      const running = fork(drive(workspaceId, drill, deadlineAt))
      const ended = yield* Effect.timeoutOption(Fiber.join(running), patience)
      return Option.isSome(ended) ? ended.value : yield* Effect.orDie(get(workspaceId, drill.id))
    })

    return { start, get }
  }),
  dependencies: [AcknowledgeIncident.Default, ManageMonitors.Default, TakePings.Default]
}) {}
