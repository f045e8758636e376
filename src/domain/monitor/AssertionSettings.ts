/** What the schema cannot check of the assertions that a monitor is given. */
import { Either } from "effect"
import type { Assertion } from "../../../schema/monitor/Assertion.ts"
import type { AvailableKind } from "../../../schema/monitor/kinds.ts"
import { compileAssertion } from "../check/AssertionCheck.ts"
import type { Refusal } from "../Refusal.ts"

/** The first assertion that cannot be judged, or null. `sources` are those that the answers of this kind have. */
export const assertionRefusal = (
  assertions: ReadonlyArray<Assertion>,
  kind: AvailableKind,
  sources: ReadonlyArray<Assertion["source"]>
): Refusal | null => {
  for (const [index, assertion] of assertions.entries()) {
    if (!sources.includes(assertion.source)) {
      return {
        path: `assertions.${index}.source`,
        message: `The answers of ${kind} monitors have no ${assertion.source}`,
        hint: `Use ${sources.join(", ")}`
      }
    }
    const compiled = compileAssertion(assertion)
    if (Either.isLeft(compiled)) return { path: `assertions.${index}`, message: compiled.left }
  }
  return null
}
