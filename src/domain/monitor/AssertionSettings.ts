/** Validates what the schema cannot check in a monitor's assertions. */
import { Either } from "effect"
import type { Assertion } from "../../../schema/monitor/Assertion.ts"
import type { AvailableKind } from "../../../schema/monitor/kinds.ts"
import { compileAssertion } from "../check/AssertionCheck.ts"
import type { Refusal } from "../Refusal.ts"

/** Why the first invalid assertion is refused, or null. `sources` are the sources that checks of this kind provide. */
export const assertionRefusal = (
  assertions: ReadonlyArray<Assertion>,
  kind: AvailableKind,
  sources: ReadonlyArray<Assertion["source"]>
): Refusal | null => {
  for (const [index, assertion] of assertions.entries()) {
    if (!sources.includes(assertion.source)) {
      return {
        path: `assertions.${index}.source`,
        message: `${kind} monitors do not support assertions on ${assertion.source}`,
        hint: `Use one of ${sources.join(", ")}`
      }
    }
    const compiled = compileAssertion(assertion)
    if (Either.isLeft(compiled)) return { path: `assertions.${index}`, message: compiled.left }
  }
  return null
}
