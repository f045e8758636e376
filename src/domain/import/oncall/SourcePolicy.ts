/** Escalation policies of other services in Belltower's terms: levels with the minutes between them, and whom each pages. */
import { Either, Schema } from "effect"
import type { Urgency } from "../../../../schema/oncall/Way.ts"
import { EmailAddress } from "../../../../schema/people/Person.ts"
import type { PolicyEntry, TargetEntry } from "../../../../schema/plan/WorkspaceDocument.ts"
import { cut, makeNotes, type Notes, within } from "../Carry.ts"
import type { FoundPolicy, Inventory } from "../Inventory.ts"
import { idOf, type Loose, textAt } from "../Loose.ts"

export interface SourceLevel {
  /** Since the level before, or since the incident for the first. */
  readonly afterMinutes: number
  readonly urgency?: Urgency
  /** Steps that are not carried over are missing, and named in the notes. */
  readonly targets: ReadonlyArray<TargetEntry>
}

export interface SourcePolicy {
  readonly levels: ReadonlyArray<SourceLevel>
  readonly repeat: number
  /** Null if it does not say. */
  readonly repeatAfterMinutes: number | null
}

/** Policies of one document. */
const most = 500
const mostLevels = 10
const mostTargets = 20

/** Schedules of a document, and those of them that are carried. */
export interface KnownSchedules {
  readonly names: ReadonlyMap<string, string>
  readonly carried: ReadonlySet<string>
}

const decodeAddress = Schema.decodeUnknownEither(EmailAddress)

/** A schedule as a target, by its id, or else by its name. One that the document does not have may be of an earlier import. */
export const scheduleTarget = (
  reference: Loose,
  { carried, names }: KnownSchedules,
  say: (why: string) => void
): ReadonlyArray<TargetEntry> => {
  const name = textAt(reference, "summary", "name")
  const id = textAt(reference, "id") ?? [...names].find(([, known]) => known === name)?.[0] ?? null
  if (id !== null && (carried.has(id) || !names.has(id))) return [{ schedule: id }]
  say(`the schedule ${name ?? names.get(id ?? "") ?? "without a name"} is not carried`)
  return []
}

/** A member as a target, by the address; `source` is what says addresses. */
export const userTarget = (
  address: string | null,
  reference: Loose,
  source: string,
  say: (why: string) => void
): ReadonlyArray<TargetEntry> => {
  const user = decodeAddress(address)
  if (Either.isRight(user)) return [{ user: user.right }]
  const name = textAt(reference, "summary", "name", "username", "id") ?? "a user"
  say(`the document has no address of ${name}; add the answer of ${source}`)
  return []
}

/** Says what a level of the source loses. */
export const ofLevel = (notes: Notes, level: number) => (why: string): void => notes.say(`Level ${level}: ${why}`)

/** Levels that page nobody are left out, and the next one waits for them, too. */
const pagingLevels = (levels: ReadonlyArray<SourceLevel>, notes: Notes): ReadonlyArray<SourceLevel> => {
  const kept: Array<SourceLevel> = []
  let waited = 0
  for (const [at, { afterMinutes, targets, ...level }] of levels.entries()) {
    waited += afterMinutes
    const own = [...new Map(targets.map((target) => [JSON.stringify(target), target])).values()]
    if (own.length > mostTargets) notes.say(`Level ${at + 1}: only the first ${mostTargets} targets are carried`)
    if (own.length === 0) {
      notes.say(`Level ${at + 1} pages nobody here and is left out`)
      continue
    }
    const minutes = within(notes, `Level ${at + 1}: the minutes before it`, waited, [0, 1440]) ?? 0
    kept.push({ ...level, afterMinutes: minutes, targets: own.slice(0, mostTargets) })
    waited = 0
  }
  if (kept.length > mostLevels) notes.say(`Only the first ${mostLevels} levels are carried`)
  return kept.slice(0, mostLevels)
}

const foundPolicy = (ref: string, name: string, policy: SourcePolicy, notes: Notes): Either.Either<FoundPolicy, string> => {
  const levels = pagingLevels(policy.levels, notes)
  const lost = (why: string) => `The escalation policy ${name} is not carried: ${why}`
  if (levels.length === 0) return Either.left(lost(notes.all.join(". ") || "it has no levels"))
  const repeat = within(notes, "The number of repetitions", policy.repeat, [0, 5])
  const repeatAfterMinutes = repeat === 0
    ? undefined
    : within(notes, "The minutes before it repeats", policy.repeatAfterMinutes, [1, 1440])
  notes.say("It applies to no incident yet: choose its monitors, or make it the default")
  const entry: PolicyEntry = {
    key: "policy",
    name: cut(notes, "The name", name, 80),
    isDefault: false,
    levels,
    ...(repeat === undefined ? {} : { repeat }),
    ...(repeatAfterMinutes === undefined ? {} : { repeatAfterMinutes })
  }
  return Either.right({ ref, name, notes: notes.all, entry })
}

/** Adds the policies to what was found in a document. `read` says in the notes what it leaves out. */
export const withPolicies = (
  inventory: Inventory,
  policies: ReadonlyArray<Loose>,
  schedules: ReadonlyArray<Loose>,
  read: (policy: Loose, known: KnownSchedules, notes: Notes) => SourcePolicy
): Inventory => {
  const known: KnownSchedules = {
    names: new Map(
      schedules.map((one, at) => [idOf(one, textAt(one, "name", "summary"), at), textAt(one, "name", "summary") ?? ""])
    ),
    carried: new Set(inventory.schedules.map(({ ref }) => ref.replace(/^schedule:/, "")))
  }
  const found = policies.slice(0, most).map((policy, index) => {
    const name = textAt(policy, "name", "summary") ?? `Escalation policy ${index + 1}`
    const notes = makeNotes()
    return foundPolicy(`policy:${idOf(policy, name, index)}`, name, read(policy, known, notes), notes)
  })
  return {
    ...inventory,
    policies: found.flatMap((one) => Either.isRight(one) ? [one.right] : []),
    warnings: [
      ...inventory.warnings,
      ...(policies.length > most ? [`Only the first ${most} escalation policies are read`] : []),
      ...found.flatMap((one) => Either.isLeft(one) ? [one.left] : [])
    ]
  }
}
