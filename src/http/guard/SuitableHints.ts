/** Makes the hint of a refusal suit its caller: a step that the caller may not take is no advice. */
import { Effect } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import { type Failure, isFailure, withHint } from "../../../schema/Errors.ts"
import type { Authenticate } from "../../operations/access/Authenticate.ts"
import { type Operation, operations } from "../openapi/Operations.ts"

/** The path of an operation as a hint writes it, whatever fills in its parameters. */
const pathPattern = (path: string): string => path.replaceAll(/:\w+/g, "[\\w{}-]+")

const written = operations
  .filter(({ unlisted }) => !unlisted)
  .map((operation) => ({
    operation,
    pattern: new RegExp(`\\b${operation.id}\\b|\\b${operation.method} ${pathPattern(operation.path)}(?![\\w/{}-])`)
  }))

/** The operations that a hint names, by their ids or requests. */
export const namedIn = (hint: string): ReadonlyArray<Operation> =>
  written.filter(({ pattern }) => pattern.test(hint)).map(({ operation }) => operation)

const sentences = (hint: string): ReadonlyArray<string> => hint.split(/(?<=\.) (?=[A-Z])/)

const wayOut = ({ principal }: Caller, refused: ReadonlyArray<string>): string => {
  const names = refused.join(" or ")
  return principal._tag === "User"
    ? `Your role may not call ${names}; ask an admin`
    : `This key may not call ${names}; ask for one that may, or for the step to be taken for you`
}

/** The hint without the sentences that name operations outside `mayCall`, and with what to do instead. */
export const suitable = (hint: string, caller: Caller, mayCall: (operation: Operation) => boolean): string => {
  const refused = namedIn(hint).filter((operation) => !mayCall(operation))
  if (refused.length === 0) return hint
  const kept = sentences(hint).filter((sentence) => namedIn(sentence).every(mayCall))
  return [...kept, wayOut(caller, refused.map(({ id }) => id))].join(" ")
}

/** Fails as the work does, with a hint that suits the caller. */
export const withSuitableHint = (access: Authenticate, caller: Caller) => <A, E, R>(work: Effect.Effect<A, E, R>) => {
  const mayCall = (operation: Operation) => operation.scope === "public" || access.mayCall(caller, operation)
  const suited = (failure: Failure): Failure =>
    failure.hint === undefined ? failure : withHint(failure, suitable(failure.hint, caller, mayCall))
  return Effect.mapError(work, (failure) => (isFailure(failure) ? suited(failure) : failure))
}
