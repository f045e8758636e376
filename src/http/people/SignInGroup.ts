/** Serves sign-in and sign-out. */
import { HttpServerResponse } from "@effect/platform"
import { Effect } from "effect"
import { Api } from "../../../schema/api/Api.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { foreignWrite } from "../../operations/access/Authenticate.ts"
import { PersonSessions } from "../../operations/people/PersonSessions.ts"
import { RequestSignIn } from "../../operations/people/RequestSignIn.ts"
import { sessionToken, withoutSession } from "../guard/SessionCookie.ts"
import { isSameOrigin } from "../request/RequestSite.ts"
import { operationGroup } from "../server/OperationGroup.ts"
import { visitorOf } from "./RequestVisitor.ts"

export const SignInLive = operationGroup(Api, "Sign-in", (handlers) =>
  Effect.gen(function*() {
    const signIn = yield* RequestSignIn
    const sessions = yield* PersonSessions
    const baseUrl = yield* BaseUrl

    return handlers
      .handle("request_sign_in", ({ payload: { email, next = null }, request }) =>
        Effect.map(signIn.mailLink({ email, next, ...visitorOf(request, baseUrl) }), (sent) => ({ sent })))
      .handleRaw("sign_out", ({ request }) =>
        isSameOrigin(request)
          ? Effect.as(
            sessions.signOut(sessionToken(request, baseUrl)),
            withoutSession(baseUrl)(HttpServerResponse.unsafeJson({ signedOut: true }))
          )
          : foreignWrite)
  }))
