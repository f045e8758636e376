/** How the routes of the registry answer. Apart from `Application`, so that a process without operations loads none. */
import { HttpRouter, HttpServerRequest } from "@effect/platform"
import { Effect, Option } from "effect"
import { operationAt } from "../openapi/Operations.ts"
import { type AnswerOf, plainAnswer } from "../server/Application.ts"
import { type Served, servedBy } from "../server/OperationGroup.ts"
import type { Guards } from "./Guards.ts"

/** Callers are admitted before they learn the problems of a request. */
const guarding = (guarded: ReturnType<Guards>, { fields, handler }: Served) => {
  const answer = guarded(handler)
  return Effect.gen(function*() {
    const given = yield* HttpServerRequest.ParsedSearchParams
    const { params } = yield* HttpRouter.RouteContext
    return yield* answer(yield* fields.normalised(yield* HttpServerRequest.HttpServerRequest, params, given))
  })
}

/** `guards` wrap the operations. */
export const operationAnswers = (guards: Guards): AnswerOf => (route) =>
  Option.map(operationAt(route), (operation) => ({
    label: operation.id,
    answer: Option.match(servedBy(route), {
      onNone: () => plainAnswer(route),
      onSome: (served) => guarding(guards(operation), served)
    })
  }))
