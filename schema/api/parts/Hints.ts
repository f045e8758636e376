/** The marks of operations that do more than read and write the database, or end in another way. */
import { Context } from "effect"

/** Marks an operation that calls an external system: it never runs in one transaction with its idempotent answer. */
export class ReachesOut extends Context.Reference<ReachesOut>()("belltower/ReachesOut", {
  defaultValue: () => false
}) {}

/** Names the flag of the body with which an operation calls an external system, as `ReachesOut` does; null if none does. */
export class ReachesOutWith extends Context.Reference<ReachesOutWith>()("belltower/ReachesOutWith", {
  defaultValue: (): string | null => null
}) {}

/** Marks an operation that ends when its caller leaves (`CallerLeft`): it waits with resources, and changes nothing before. */
export class EndsWithCaller extends Context.Reference<EndsWithCaller>()("belltower/EndsWithCaller", {
  defaultValue: () => false
}) {}

/** Marks an operation whose changes are one short transaction: its audit entry is written in it, that of others before the change. */
export class OneTransaction extends Context.Reference<OneTransaction>()("belltower/OneTransaction", {
  defaultValue: () => false
}) {}

/** The largest body that the operation takes, in bytes. Null is the limit of all others. */
export class LargestBody extends Context.Reference<LargestBody>()("belltower/LargestBody", {
  defaultValue: (): number | null => null
}) {}

/** Marks an operation whose answer is for its caller only: an idempotency key repeats it to nobody else of the workspace. */
export class PrivateAnswer extends Context.Reference<PrivateAnswer>()("belltower/PrivateAnswer", {
  defaultValue: () => false
}) {}

/** The characters of a text body that become `message` where programs report; null where such a body is rejected. */
export class TextOfPrograms extends Context.Reference<TextOfPrograms>()("belltower/TextOfPrograms", {
  defaultValue: (): number | null => null
}) {}

/** The content type of another form of the same answer, which the operation gives if its caller asks for it; null for none. */
export class OtherForm extends Context.Reference<OtherForm>()("belltower/OtherForm", {
  defaultValue: (): string | null => null
}) {}

/** The hints of MCP about an operation where its method and `ReachesOut` do not say them. */
export interface ToolHints {
  /** Whether it can destroy what exists; otherwise only a DELETE does. */
  readonly destroys?: boolean
  /** Whether it notifies people or systems outside; otherwise only those of `ReachesOut` do. */
  readonly heardOutside?: boolean
}

export class Hinted extends Context.Reference<Hinted>()("belltower/ToolHints", {
  defaultValue: (): ToolHints => ({})
}) {}
