/** Puts the pages for people on the router, each with what it needs and with an answer to every failure. */
import { HttpApiBuilder, type HttpRouter, type HttpServerResponse } from "@effect/platform"
import type { SqlClient } from "@effect/sql"
import { Effect, type Layer } from "effect"
import type { BaseUrl } from "../http/BaseUrl.ts"
import type { AuditLog } from "../store/AuditLog.ts"
import type { Identities } from "../store/Identities.ts"
import type { Incidents } from "../store/Incidents.ts"
import type { Joining } from "../store/Joining.ts"
import type { Mails } from "../store/Mails.ts"
import type { Monitors } from "../store/Monitors.ts"
import type { Pages } from "../store/Pages.ts"
import type { RateLimits } from "../store/RateLimits.ts"
import type { SecondFactors } from "../store/SecondFactors.ts"
import type { Sessions } from "../store/Sessions.ts"
import type { SignInLinks } from "../store/SignInLinks.ts"
import type { Users } from "../store/Users.ts"
import type { Vault } from "../store/Vault.ts"
import { answered } from "./Reply.ts"

/** The stores that pages read and write. */
export type PageNeeds =
  | AuditLog
  | BaseUrl
  | Identities
  | Incidents
  | Joining
  | Mails
  | Monitors
  | Pages
  | RateLimits
  | SecondFactors
  | Sessions
  | SignInLinks
  | SqlClient.SqlClient
  | Users
  | Vault

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
    Effect.flatMap(Effect.context<PageNeeds>(), (context) =>
      add({
        get: (path, handler) => router.get(path, Effect.provide(answered(handler), context)),
        post: (path, handler) => router.post(path, Effect.provide(answered(handler), context))
      }))
  )
