/** Adds dashboard pages to the router, provides the operations they call and turns every failure into a page. */
import { HttpApiBuilder, type HttpRouter, type HttpServerResponse } from "@effect/platform"
import { Effect, type Layer } from "effect"
import type { BaseUrl } from "../links/BaseUrl.ts"
import type { Authenticate } from "../operations/access/Authenticate.ts"
import { onSurface } from "../operations/access/CallOrigin.ts"
import type { ReadMail } from "../operations/mail/ReadMail.ts"
import type { AcceptInvitation } from "../operations/people/AcceptInvitation.ts"
import type { ClaimWorkspace } from "../operations/people/ClaimWorkspace.ts"
import type { PersonContact } from "../operations/people/PersonContact.ts"
import type { PersonSecurity } from "../operations/people/PersonSecurity.ts"
import type { PersonSessions } from "../operations/people/PersonSessions.ts"
import type { PersonWorkspaces } from "../operations/people/PersonWorkspaces.ts"
import type { ProviderSignIn } from "../operations/people/ProviderSignIn.ts"
import type { RequestSignIn } from "../operations/people/RequestSignIn.ts"
import type { SecondFactor } from "../operations/people/SecondFactor.ts"
import type { SignIn } from "../operations/people/SignIn.ts"
import type { ReadHome } from "../operations/workspace/ReadHome.ts"
import { answered } from "./Reply.ts"

/** The operations that dashboard pages call. */
export type PageNeeds =
  | AcceptInvitation
  | Authenticate
  | BaseUrl
  | ClaimWorkspace
  | PersonContact
  | PersonSecurity
  | PersonSessions
  | PersonWorkspaces
  | ProviderSignIn
  | ReadHome
  | ReadMail
  | RequestSignIn
  | SecondFactor
  | SignIn

type Handler<E> = Effect.Effect<
  HttpServerResponse.HttpServerResponse,
  E,
  PageNeeds | HttpRouter.HttpRouter.Provided | HttpRouter.HttpRouter.DefaultServices
>

export interface PageRouter {
  readonly get: <E>(path: `/${string}`, handler: Handler<E>) => Effect.Effect<void>
  readonly post: <E>(path: `/${string}`, handler: Handler<E>) => Effect.Effect<void>
}

export const pages = (add: (router: PageRouter) => Effect.Effect<void>): Layer.Layer<never, never, PageNeeds> =>
  HttpApiBuilder.Router.use((router) =>
    Effect.flatMap(Effect.context<PageNeeds>(), (context) => {
      const page = <E>(handler: Handler<E>) => answered(handler).pipe(Effect.provide(context), onSurface("dashboard"))
      return add({
        get: (path, handler) => router.get(path, page(handler)),
        post: (path, handler) => router.post(path, page(handler))
      })
    })
  )
