/** Puts the pages for people on the router, each with what it needs and with an answer to every failure. */
import { HttpApiBuilder, type HttpRouter, type HttpServerResponse } from "@effect/platform"
import type { SqlClient } from "@effect/sql"
import { Effect, type Layer } from "effect"
import type { BaseUrl } from "../links/BaseUrl.ts"
import type { AuditLog } from "../store/access/AuditLog.ts"
import type { RateLimits } from "../store/access/RateLimits.ts"
import type { Incidents } from "../store/incident/Incidents.ts"
import type { Mails } from "../store/mail/Mails.ts"
import type { Monitors } from "../store/monitor/Monitors.ts"
import type { Pages } from "../store/page/Pages.ts"
import type { Identities } from "../store/people/Identities.ts"
import type { SecondFactors } from "../store/people/SecondFactors.ts"
import type { Sessions } from "../store/people/Sessions.ts"
import type { SignInLinks } from "../store/people/SignInLinks.ts"
import type { Users } from "../store/people/Users.ts"
import type { Vault } from "../store/Vault.ts"
import type { WorkspaceEntry } from "../store/workspace/WorkspaceEntry.ts"
import { answered } from "./Reply.ts"

/** The stores that pages read and write. */
export type PageNeeds =
  | AuditLog
  | BaseUrl
  | Identities
  | Incidents
  | WorkspaceEntry
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
