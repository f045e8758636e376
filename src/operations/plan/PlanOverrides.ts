/** Compares the overrides that a document lists for a schedule with those of the workspace. */
import { UserId } from "../../../schema/Ids.ts"
import type { OverrideEntry, ScheduleEntry } from "../../../schema/plan/WorkspaceDocument.ts"
import { hasEnded, mostOverrides, overrideChanges, tooManyOverrides, windowRefusals } from "../../domain/oncall/Overrides.ts"
import type { FieldChange } from "../../domain/plan/FieldChanges.ts"
import { overrideFields } from "../../domain/plan/ThingFields.ts"
import type { Refusal } from "../../domain/Refusal.ts"
import type { OverrideEdit } from "../oncall/ManageSchedules.ts"
import { namedOverrides } from "./CurrentFields.ts"
import type { Findings } from "./Findings.ts"
import type { WorkspaceState } from "./LoadWorkspace.ts"

/** The refusal of an address that the document names and no member has. */
export const noMember = (path: string, address: string): Refusal => ({
  path,
  message: `No member with the address ${address} in this workspace`,
  hint: "Invite the person first"
})

interface OverridePath {
  /** The path of the schedule in the document. */
  readonly at: string
  /** Null for a schedule that is to be created. */
  readonly id: string | null
  readonly ids: ReadonlyMap<string, UserId>
}

interface PlannedOverrides {
  /** One for each override that is added or removed. */
  readonly changes: ReadonlyArray<FieldChange>
  readonly edit: OverrideEdit
}

const none: PlannedOverrides = { changes: [], edit: { removed: [], added: [] } }

/** The problems of overrides that have not ended. */
const refusalsOf = (
  { now }: WorkspaceState,
  overrides: ReadonlyArray<OverrideEntry>,
  ids: ReadonlyMap<string, UserId>
): ReadonlyArray<Refusal> =>
  overrides.flatMap((one, index) => {
    if (hasEnded(one, now)) return []
    const unknown = ([["user", one.user], ["insteadOf", one.insteadOf]] as const).flatMap(([field, address]) =>
      address === undefined || ids.has(address) ? [] : [noMember(field, address)]
    )
    return [...windowRefusals(one, now), ...unknown].map((refusal) => ({
      ...refusal,
      path: `overrides.${index}.${refusal.path ?? ""}`
    }))
  })

const wantedOf = ({ end, insteadOf, note = "", start, user }: OverrideEntry, ids: ReadonlyMap<string, UserId>) => ({
  user,
  userId: ids.get(user) ?? UserId.make(user),
  insteadOf: insteadOf === undefined ? null : ids.get(insteadOf) ?? UserId.make(insteadOf),
  instead: insteadOf ?? null,
  start,
  end,
  note: note === "" ? null : note
})

/** Without `overrides`, a schedule keeps those that it has. Overrides of the document that have ended are left out. */
export const planOverrides = (
  state: WorkspaceState,
  { overrides }: ScheduleEntry,
  { at, id, ids }: OverridePath,
  findings: Findings
): PlannedOverrides => {
  if (overrides === undefined) return none
  const refusals = refusalsOf(state, overrides, ids)
  const stored = id === null ? [] : namedOverrides(state, id)
  const unnamed = id === null ? 0 : (state.overrides.get(id)?.length ?? 0) - stored.length
  const wanted = overrides.filter((one) => !hasEnded(one, state.now)).map((one) => wantedOf(one, ids))
  if (refusals.length > 0 || unnamed + wanted.length > mostOverrides) {
    findings.refuse(at, refusals.length > 0 ? refusals : [{ path: "overrides", ...tooManyOverrides }])
    return none
  }
  const { added, removed } = overrideChanges(stored, wanted)
  return {
    changes: [
      ...removed.map((one) => ({ path: "overrides", from: overrideFields(one.named), to: undefined })),
      ...added.map((one) => ({ path: "overrides", from: undefined, to: overrideFields({ ...one, insteadOf: one.instead }) }))
    ],
    edit: {
      removed: removed.map((one) => one.id),
      added: added.map(({ end, insteadOf, note, start, userId }) => ({
        userId,
        start,
        end,
        ...(insteadOf === null ? {} : { insteadOf }),
        ...(note === null ? {} : { note })
      }))
    }
  }
}
