/** Compares the schedules and escalation policies of a document with those of the workspace. */
import { Array as Arr, Effect } from "effect"
import { ChannelId, MonitorId, PolicyId, ScheduleId, UserId } from "../../../schema/Ids.ts"
import type { EscalationTarget, PolicyUpdate } from "../../../schema/oncall/Policy.ts"
import type { ScheduleInput } from "../../../schema/oncall/Schedule.ts"
import type { PolicyEntry, ScheduleEntry, TargetEntry, WorkspaceDocument } from "../../../schema/plan/WorkspaceDocument.ts"
import { endedNote, hasEnded } from "../../domain/oncall/Overrides.ts"
import { fieldChanges } from "../../domain/plan/FieldChanges.ts"
import { policyFields, scheduleFields } from "../../domain/plan/ThingFields.ts"
import { ManagePolicies } from "../oncall/ManagePolicies.ts"
import { ManageSchedules } from "../oncall/ManageSchedules.ts"
import { currentPolicy, currentSchedule } from "./CurrentFields.ts"
import type { Findings } from "./Findings.ts"
import type { WorkspaceState } from "./LoadWorkspace.ts"
import { noMember, planOverrides } from "./PlanOverrides.ts"
import { type Made, type Step, stepOf } from "./Step.ts"

const membersOf = ({ members }: WorkspaceState): ReadonlyMap<string, UserId> =>
  new Map(members.map(({ email, id }) => [email.toLowerCase(), id]))

const defaultRepeatAfterMinutes = 30

/** A field that a document leaves out has its default, also where a schedule had something else. */
const defaultTurn = {
  turnUnit: "week",
  turnLength: 1,
  atOnce: 1,
  hours: [],
  activeFrom: null,
  activeUntil: null
} as const satisfies Partial<ScheduleInput>

interface Current {
  readonly startDay: string
  readonly layers: ReadonlyArray<{ readonly startDay: string }>
}

/** The input of a schedule and its fields in a document. A first day that the document leaves out stays as it is. */
const wantedSchedule = (
  { key: _, layers = [], overrides: __, participants, ...settings }: ScheduleEntry,
  current: Current | null,
  ids: ReadonlyMap<string, UserId>
) => {
  const strangersIn = (path: string, addresses: ReadonlyArray<string>) =>
    addresses.flatMap((address, at) => ids.has(address) ? [] : [noMember(`${path}.${at}`, address)])
  const people = (addresses: Arr.NonEmptyReadonlyArray<string>) =>
    Arr.map(addresses, (address) => ids.get(address) ?? UserId.make(address))
  const dated = layers.map((layer, at) => {
    const startDay = layer.startDay ?? current?.layers[at]?.startDay
    return startDay === undefined ? layer : { ...layer, startDay }
  })
  return {
    strangers: [
      ...strangersIn("participants", participants),
      ...layers.flatMap((layer, at) => strangersIn(`layers.${at}.participants`, layer.participants))
    ],
    input: {
      ...defaultTurn,
      ...settings,
      participants: people(participants),
      layers: dated.map((layer) => ({ ...layer, participants: people(layer.participants) }))
    },
    to: scheduleFields({
      ...settings,
      participants,
      startDay: settings.startDay ?? current?.startDay ?? null,
      layers: dated.map((layer) => ({ ...layer, startDay: layer.startDay ?? null }))
    })
  }
}

export const makePlanSchedules = Effect.gen(function*() {
  const manage = yield* ManageSchedules

  return (state: WorkspaceState, { schedules = [] }: WorkspaceDocument, findings: Findings): ReadonlyArray<Step> => {
    const { workspaceId } = state
    const ids = membersOf(state)
    const stepFor = (entry: ScheduleEntry, index: number): Step => {
      const { key } = entry
      const id = state.keys.schedule.idOf.get(key) ?? null
      const current = id === null ? null : state.schedules.get(id) ?? null
      const { input, strangers, to } = wantedSchedule(entry, current, ids)
      findings.refuse(`schedules.${index}`, strangers)
      const { changes, edit } = planOverrides(state, entry, { at: `schedules.${index}`, id, ids }, findings)
      const from = current === null ? null : currentSchedule(state, current)
      const isChanged = fieldChanges(from ?? {}, to).length > 0
      return stepOf({
        kind: "schedule",
        key,
        id,
        name: entry.name,
        from,
        to,
        also: changes,
        create: Effect.fnUntraced(function*() {
          const made = yield* manage.create(workspaceId, input)
          yield* manage.editOverrides(workspaceId, made.id, edit)
          return made
        }),
        update: Effect.fnUntraced(function*(_: Made, known: string) {
          const scheduleId = ScheduleId.make(known)
          if (isChanged) yield* manage.update(workspaceId, scheduleId, input)
          yield* manage.editOverrides(workspaceId, scheduleId, edit)
        })
      })
    }
    const ended = schedules.flatMap(({ overrides = [] }) => overrides.filter((one) => hasEnded(one, state.now)))
    endedNote(ended.length).forEach(findings.note)
    return schedules.map(stepFor)
  }
})

const targetOf = (target: TargetEntry, made: Made, ids: ReadonlyMap<string, UserId>): EscalationTarget =>
  "channel" in target
    ? { type: "channel", id: ChannelId.make(made.idOf("channel", target.channel)) }
    : "schedule" in target
    ? { type: "schedule", id: ScheduleId.make(made.idOf("schedule", target.schedule)) }
    : { type: "user", id: ids.get(target.user) ?? UserId.make(target.user) }

const secondDefault = { path: "isDefault", message: "Only one policy can be the default" }

const vet = (entry: PolicyEntry, at: string, ids: ReadonlyMap<string, UserId>, findings: Findings): void => {
  findings.requireKeys(`${at}.monitors`, "monitor", entry.monitors ?? [])
  findings.requireKeys(`${at}.pages`, "page", entry.pages ?? [])
  for (const [level, { targets }] of entry.levels.entries()) {
    for (const [index, target] of targets.entries()) {
      const here = `${at}.levels.${level}.targets.${index}`
      if ("channel" in target) findings.requireKey(`${here}.channel`, "channel", target.channel)
      else if ("schedule" in target) findings.requireKey(`${here}.schedule`, "schedule", target.schedule)
      else if (!ids.has(target.user)) findings.refuse(here, [noMember("user", target.user)])
    }
  }
}

export const makePlanPolicies = Effect.gen(function*() {
  const manage = yield* ManagePolicies

  return (state: WorkspaceState, { policies = [] }: WorkspaceDocument, findings: Findings): ReadonlyArray<Step> => {
    const { workspaceId } = state
    const ids = membersOf(state)
    const firstDefault = policies.findIndex(({ isDefault }) => isDefault)
    const stepFor = (entry: PolicyEntry, index: number): Step => {
      vet(entry, `policies.${index}`, ids, findings)
      if (entry.isDefault === true && index > firstDefault) findings.refuse(`policies.${index}`, [secondDefault])
      const { isDefault, key, levels, name, repeat = 0 } = entry
      const [monitors, pages] = [[...new Set(entry.monitors)], [...new Set(entry.pages)]]
      const repeatAfterMinutes = entry.repeatAfterMinutes ?? defaultRepeatAfterMinutes
      const id = state.keys.policy.idOf.get(key) ?? null
      const current = id === null ? null : state.policies.get(id) ?? null
      const inputOf = (made: Made) => ({
        name,
        levels: levels.map((level) => ({ ...level, targets: level.targets.map((target) => targetOf(target, made, ids)) })),
        monitorIds: monitors.map((monitor) => MonitorId.make(made.idOf("monitor", monitor))),
        pageIds: pages.map((page) => made.idOf("page", page)),
        repeat,
        repeatAfterMinutes,
        ...(isDefault === undefined ? {} : { isDefault })
      } satisfies PolicyUpdate)
      const settled = { name, levels, monitors, pages, repeat, repeatAfterMinutes }
      return stepOf({
        kind: "policy",
        key,
        id,
        name,
        from: current === null ? null : currentPolicy(state, current),
        to: policyFields({ ...settled, isDefault: isDefault ?? current?.isDefault ?? null }),
        create: (made) => manage.create(workspaceId, inputOf(made)),
        update: (made, known) => manage.update(workspaceId, PolicyId.make(known), inputOf(made))
      })
    }
    return policies.map(stepFor)
  }
})
