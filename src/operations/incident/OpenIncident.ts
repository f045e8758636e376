/** Opens incidents and schedules maintenance windows. */
import { DateTime, Effect } from "effect"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { AffectedComponent } from "../../../schema/incident/Incident.ts"
import type { IncidentInput, MaintenanceInput } from "../../../schema/incident/IncidentInput.ts"
import { seriesRefusals } from "../../domain/incident/MaintenanceClock.ts"
import { defaultImpact, impactGiven, withListed } from "../../domain/incident/ManualIncident.ts"
import { type Refusal, validationFailure } from "../../domain/Refusal.ts"
import { AiTexts } from "../../services/ai/AiTexts.ts"
import { type FirstUpdate, IncidentWriter } from "../../services/incident/IncidentWriter.ts"
import { EventLog } from "../../store/event/EventLog.ts"
import { type IncidentDraft, noWindow } from "../../store/incident/Incidents.ts"
import { DatabaseClock } from "../../store/postgres/DatabaseClock.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { componentPath, makeIncidentScope, requireFewPages } from "./IncidentScope.ts"
import { makePolishNote } from "./PolishNote.ts"
import { makeRequireIncident } from "./RequireIncident.ts"

const windowRefusals = ({ scheduledEnd, scheduledStart }: MaintenanceInput, now: DateTime.Utc): ReadonlyArray<Refusal> =>
  DateTime.lessThanOrEqualTo(scheduledEnd, scheduledStart)
    ? [{ path: "scheduledEnd", message: "scheduledEnd must be after scheduledStart" }]
    : DateTime.lessThanOrEqualTo(scheduledEnd, now)
    ? [{ path: "scheduledEnd", message: "scheduledEnd must be in the future" }]
    : []

const recurrenceRefusals = ({ recurrence, scheduledEnd, scheduledStart }: MaintenanceInput): ReadonlyArray<Refusal> =>
  recurrence === undefined ? [] : seriesRefusals({ recurrence, scheduledEnd, scheduledStart })

/** The clock sets the status of a window; a wish that it would not fulfil is refused. */
const statusRefusals = ({ scheduledStart, status }: MaintenanceInput, now: DateTime.Utc): ReadonlyArray<Refusal> =>
  status !== "in_progress" || DateTime.lessThanOrEqualTo(scheduledStart, now)
    ? []
    : [{
      path: "status",
      message: "It is in_progress from scheduledStart on. Leave status out, or use a scheduledStart that has passed"
    }]

const reminderRefusals = (remindMinutes: ReadonlyArray<number>, notify: boolean): ReadonlyArray<Refusal> =>
  notify || remindMinutes.length === 0
    ? []
    : [{ path: "remindMinutes", message: "With notify set to false, nobody would be reminded. Leave one of them out" }]

export class OpenIncident extends Effect.Service<OpenIncident>()("belltower/OpenIncident", {
  effect: Effect.gen(function*() {
    const transaction = yield* makeTransaction
    const events = yield* EventLog
    const clock = yield* DatabaseClock
    const writer = yield* IncidentWriter
    const scope = yield* makeIncidentScope
    const polish = yield* makePolishNote
    const require = yield* makeRequireIncident

    /** Inserts it with its event in one transaction, and returns its record. */
    const commit = (
      workspaceId: WorkspaceId,
      draft: IncidentDraft,
      first: FirstUpdate,
      plan: Parameters<typeof writer.open>[3] = null
    ) =>
      Effect.gen(function*() {
        const { drafts, id } = yield* writer.open(workspaceId, draft, first, plan)
        const incident = yield* Effect.orDie(require(workspaceId, id))
        yield* events.append(workspaceId, drafts)
        return incident
      }).pipe(transaction)

    /** Fails with `validation_failed`; if the text is to be polished, also with `unavailable` or `plan_limit`. */
    const create = Effect.fn("OpenIncident.create")(function*(workspaceId: WorkspaceId, input: IncidentInput) {
      const listed = input.components ?? []
      const pageIds = yield* scope(workspaceId, {
        pageIds: input.pageIds ?? [],
        componentIds: listed.map(({ componentId }) => componentId),
        pathOf: componentPath
      })
      yield* requireFewPages(pageIds.length, "components")
      const now = yield* DateTime.now
      const draft: IncidentDraft = {
        kind: "incident",
        automatic: false,
        monitorId: null,
        public: input.public ?? pageIds.length > 0,
        title: input.title,
        status: input.status ?? "investigating",
        impact: input.impact === undefined ? defaultImpact(listed) : impactGiven(input.impact),
        components: withListed([], listed),
        pageIds,
        startedAt: now,
        ...noWindow
      }
      const note = input.polish ?? false
        ? yield* polish(workspaceId, draft, input.message, true)
        : { body: input.message, ai: false }
      return yield* commit(workspaceId, draft, {
        ...note,
        at: now,
        public: true,
        byPerson: true,
        manual: true,
        notify: input.notify ?? true
      })
    })

    /** A window whose start has passed starts immediately. Fails with `validation_failed`. */
    const schedule = Effect.fn("OpenIncident.schedule")(function*(workspaceId: WorkspaceId, input: MaintenanceInput) {
      const now = yield* clock.now
      const { notify = true, recurrence, remindMinutes = [] } = input
      const refusals = [
        ...windowRefusals(input, now),
        ...statusRefusals(input, now),
        ...recurrenceRefusals(input),
        ...reminderRefusals(remindMinutes, notify)
      ]
      if (refusals.length > 0) return yield* validationFailure(refusals)
      const { componentIds = [], components: listed = [] } = input
      const pageIds = yield* scope(workspaceId, {
        pageIds: input.pageIds ?? [],
        componentIds: [...componentIds, ...listed.map(({ componentId }) => componentId)],
        pathOf: (index) => index < componentIds.length ? `componentIds.${index}` : componentPath(index - componentIds.length)
      })
      yield* requireFewPages(pageIds.length, "componentIds")
      const draft: IncidentDraft = {
        kind: "maintenance",
        automatic: false,
        monitorId: null,
        public: pageIds.length > 0,
        title: input.title,
        status: "scheduled",
        impact: impactGiven(input.impact ?? "maintenance"),
        components: withListed([], [
          ...componentIds.map((componentId): AffectedComponent => ({ componentId, status: "maintenance" })),
          ...listed
        ]),
        pageIds,
        startedAt: input.scheduledStart,
        scheduledStart: input.scheduledStart,
        scheduledEnd: input.scheduledEnd,
        wholePageIds: componentIds.length + listed.length === 0 ? pageIds : [],
        notify
      }
      const first = {
        body: input.message,
        ai: false,
        at: now,
        public: true,
        byPerson: true,
        manual: true,
        notify
      }
      return yield* commit(
        workspaceId,
        draft,
        first,
        recurrence === undefined && remindMinutes.length === 0 ? null : {
          remindMinutes,
          rule: recurrence?.rule ?? null,
          timezone: recurrence === undefined ? null : recurrence.timezone ?? "UTC",
          firstStart: input.scheduledStart,
          message: input.message
        }
      )
    })

    return { create, schedule }
  }),
  dependencies: [IncidentWriter.Default, AiTexts.Default]
}) {}
