/** The domain rules of a check kind besides its schema: how to validate its input, and which of its values are confidential. */
import type { Either } from "effect"
import type { TargetOf } from "../../../schema/monitor/kinds.ts"
import type { MonitorUpdate, RequestSecrets } from "../../../schema/monitor/Monitor.ts"
import type { MonitorKind } from "../../../schema/monitor/MonitorKind.ts"
import type { Refusal } from "../Refusal.ts"

type Field = keyof MonitorUpdate

export interface MonitorKindSpec<Kind extends MonitorKind> {
  /** The fields besides the target's settings. They may hold credentials, so they are stored encrypted. */
  readonly sealedFields?: ReadonlyArray<keyof RequestSecrets>
  /** An input without `kind` that has all fields of one of these sets is of this kind. Without them, the input must name the kind. */
  readonly inferredFrom?: ReadonlyArray<ReadonlyArray<Field>>
  /** The target of a new monitor, or of an edited one (`base`). Fills in defaults and validates what the schema cannot. */
  readonly settle: (input: MonitorUpdate, base: TargetOf<Kind> | null) => Either.Either<TargetOf<Kind>, Refusal>
  /** The target without its secrets, for events and for callers that may not edit the monitor. */
  readonly masked: (target: TargetOf<Kind>) => TargetOf<Kind>
  /** The target's addresses and hosts in all spellings; public pages must not show them. */
  readonly confidentialTexts: (target: TargetOf<Kind>) => ReadonlyArray<string>
  /** Given if it runs the tenant's own code; plans limit how many such monitors a workspace has. */
  readonly runsCode?: true
  /** The default and the shortest interval, if they are not those of other kinds. */
  readonly pace?: { readonly usualSec: number; readonly leastSec: number }
}

/** A setting that may be null, after an edit: what the input omits keeps its value. */
export const orBefore = <A>(given: A | null | undefined, before: A | null | undefined): A | null =>
  given === undefined ? before ?? null : given
