/** What an operation does besides reading and writing the database, and how it ends. */
import { Context } from "effect"

/**
 * Whether the operation calls an external system, such as a monitored target or a channel's receiver. Such a call cannot be
 * taken back, so the operation does not run in one transaction with its idempotent answer.
 */
export class ReachesOut extends Context.Reference<ReachesOut>()("belltower/ReachesOut", {
  defaultValue: () => false
}) {}

/**
 * The flag of the body that makes an operation call an external system; null if none does. With it, the operation does not run in
 * one transaction with its idempotent answer.
 */
export class ReachesOutWith extends Context.Reference<ReachesOutWith>()("belltower/ReachesOutWith", {
  defaultValue: (): string | null => null
}) {}

/**
 * Whether the operation ends when its caller leaves. Other changes finish without their caller; this is for work that holds
 * resources while it waits and changes nothing until it has its answer. It learns of the departure from `CallerLeft`.
 */
export class EndsWithCaller extends Context.Reference<EndsWithCaller>()("belltower/EndsWithCaller", {
  defaultValue: () => false
}) {}

/**
 * Whether all that the operation changes is one short transaction, which waits for nothing but rows. Its audit entry is then written in
 * this transaction; that of another operation before its change.
 */
export class OneTransaction extends Context.Reference<OneTransaction>()("belltower/OneTransaction", {
  defaultValue: () => false
}) {}

/** The largest body that the operation takes, in bytes. Null is the limit of all others. */
export class LargestBody extends Context.Reference<LargestBody>()("belltower/LargestBody", {
  defaultValue: (): number | null => null
}) {}

/**
 * Whether the answer is for its caller only, such as one with a secret that is shown once. An idempotency key then repeats it to nobody
 * else of the workspace.
 */
export class PrivateAnswer extends Context.Reference<PrivateAnswer>()("belltower/PrivateAnswer", {
  defaultValue: () => false
}) {}

/**
 * The characters of a body's text that become `message`, for operations by which programs report: any body that is no JSON and no
 * form is then taken as text, whatever its content type says, so that a job's output cannot make its report fail. Null for other
 * operations, which reject a JSON body that is none: a broken request must not become the text of an incident.
 */
export class TextOfPrograms extends Context.Reference<TextOfPrograms>()("belltower/TextOfPrograms", {
  defaultValue: (): number | null => null
}) {}
