/** What the product needs to know about a check kind besides its schema: how its input settles, and what it keeps to itself. */
import type { Either } from "effect"
import type { AvailableKind, TargetOf } from "../../../schema/monitor/kinds.ts"
import type { MonitorUpdate, RequestSecrets } from "../../../schema/monitor/Monitor.ts"
import type { Refusal } from "../Refusal.ts"

type Field = keyof MonitorUpdate

export interface MonitorKindSpec<Kind extends AvailableKind> {
  /** The fields it has besides the settings of its target. They may hold credentials, so they are kept sealed. */
  readonly sealedFields: ReadonlyArray<keyof RequestSecrets>
  /** An input that names no kind but has all of these fields is of this kind. Empty: the kind must be named. */
  readonly inferredFrom: ReadonlyArray<Field>
  /** The target of a new monitor, or of one that is edited (`base`): defaults filled in, what the schema cannot check checked. */
  readonly settle: (input: MonitorUpdate, base: TargetOf<Kind> | null) => Either.Either<TargetOf<Kind>, Refusal>
  /** The addresses and hosts in all their spellings: public pages must not show them. */
  readonly confidentialTexts: (target: TargetOf<Kind>) => ReadonlyArray<string>
  /** Whether it runs the tenant's own code; plans limit how many such monitors a workspace has. */
  readonly runsCode: boolean
}

/** A kind of the specification that is not available yet. Its fields are known, so that no other kind takes them silently. */
export interface PlannedKind {
  readonly plannedFields: ReadonlyArray<Field>
  readonly inferredFrom: ReadonlyArray<Field>
}

export const planned = (plannedFields: ReadonlyArray<Field>, inferredFrom: ReadonlyArray<Field> = []): PlannedKind => ({
  plannedFields,
  inferredFrom
})
