/** The authorization endpoint: what an app asks for, and the decision of the person whom it sent here. */
import OAuth2Server from "@node-oauth/oauth2-server"
import { DateTime, Duration, Effect, Either, Option } from "effect"
import { oauthRequests } from "../../../schema/api/parts/AddressLimit.ts"
import { Forbidden, NotFound } from "../../../schema/Errors.ts"
import type { WorkspaceId } from "../../../schema/Ids.ts"
import type { PersonIdentity } from "../../../schema/people/PersonIdentity.ts"
import type { Scope } from "../../../schema/workspace/Workspace.ts"
import { delegableOperations } from "../../domain/access/CallPermission.ts"
import { judgeRequest, one, type Parameters } from "../../domain/oauth/AuthorizationRequest.ts"
import { isRegistered } from "../../domain/oauth/RedirectUri.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { RateLimits } from "../../store/access/RateLimits.ts"
import { randomToken } from "../../store/Mint.ts"
import { Grants } from "../../store/oauth/Grants.ts"
import { OAuthRequests, type RequestRow } from "../../store/oauth/OAuthRequests.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { Quotas } from "../../store/workspace/Quotas.ts"
import { AuditTrail } from "../access/AuditTrail.ts"
import { OperationCatalog } from "../access/OperationCatalog.ts"
import { foundOr } from "../NoSuch.ts"
import { KnownApps } from "./KnownApps.ts"
import { runLibrary } from "./RunLibrary.ts"

/** How long the app has to exchange its code. */
const codeLifetime = Duration.minutes(1)

/** The access that the person gives. */
export interface Consent {
  readonly workspaceId: WorkspaceId
  readonly scopes: ReadonlyArray<Scope>
  /** Null for all that can be given. */
  readonly operations: ReadonlyArray<string> | null
}

/** Where the person's browser goes next; `Refused` stays here, because it is not certain whose address it would be. */
export type Beginning =
  | { readonly _tag: "Ask"; readonly id: string }
  | { readonly _tag: "Return"; readonly url: string }
  | { readonly _tag: "Refused"; readonly message: string }

const ended = new NotFound({
  message: "This request to connect an app was decided already, or has expired",
  hint: "Start again in the app"
})

const notMember = new Forbidden({ message: "You are not a member of this workspace", hint: "Choose another workspace" })

const nothingChosen = new Forbidden({ message: "The app would get no tools", hint: "Choose at least one group of tools" })

export class AskForAccess extends Effect.Service<AskForAccess>()("belltower/AskForAccess", {
  effect: Effect.gen(function*() {
    const transaction = yield* makeTransaction
    const apps = yield* KnownApps
    const requests = yield* OAuthRequests
    const grants = yield* Grants
    const quotas = yield* Quotas
    const limits = yield* RateLimits
    const audit = yield* AuditTrail
    const baseUrl = yield* BaseUrl
    const delegable = delegableOperations(yield* OperationCatalog)

    /** The answer names who gives it (RFC 9207), so that the app does not take it for that of another service. */
    const named = (url: string): string => {
      const target = new URL(url)
      target.searchParams.set("iss", baseUrl)
      return target.href
    }

    const returning = (redirectUri: string, state: string | null, error: string, description: string): Beginning => {
      const target = new URL(redirectUri)
      target.searchParams.set("error", error)
      target.searchParams.set("error_description", description)
      if (state !== null) target.searchParams.set("state", state)
      return { _tag: "Return", url: named(target.href) }
    }

    const begin = Effect.fn("AskForAccess.begin")(function*(parameters: Parameters, address: string) {
      yield* limits.take(oauthRequests, address)
      const clientId = one(parameters, "client_id")
      if (clientId === null) return { _tag: "Refused", message: "The app did not say which one it is" } satisfies Beginning
      const app = yield* Effect.either(apps.find(clientId))
      if (Either.isLeft(app)) return { _tag: "Refused", message: app.left.message } satisfies Beginning
      const { redirectUris } = app.right
      const redirectUri = one(parameters, "redirect_uri") ?? (redirectUris.length === 1 ? redirectUris[0] : undefined)
      if (redirectUri === undefined || !isRegistered(redirectUris, redirectUri)) {
        return {
          _tag: "Refused",
          message: "The app asks to be sent to an address that it has not registered"
        } satisfies Beginning
      }
      yield* apps.touch(clientId)
      const request = judgeRequest(parameters, baseUrl)
      if (Either.isLeft(request)) {
        return returning(redirectUri, one(parameters, "state"), request.left.error, request.left.description)
      }
      return { _tag: "Ask", id: yield* requests.add({ ...request.right, clientId, redirectUri }) } satisfies Beginning
    })

    const look = (id: string) => foundOr(requests.find(id), () => ended)

    /** The request as the library reads it. */
    const asked = ({ challenge, clientId, redirectUri, state }: RequestRow, allowed: boolean) =>
      new OAuth2Server.Request({
        method: "GET",
        headers: {},
        query: {
          client_id: clientId,
          redirect_uri: redirectUri,
          response_type: "code",
          code_challenge: challenge,
          code_challenge_method: "S256",
          ...(state === null || state === "" ? {} : { state }),
          ...(allowed ? {} : { allowed: "false" })
        },
        body: {}
      })

    const save = Effect.fn("AskForAccess.save")(
      function*({ sessionId, userId }: PersonIdentity, request: RequestRow, consent: Consent, code: string) {
        const { operations, scopes, workspaceId } = consent
        yield* quotas.takeCapped(workspaceId, { keys: 1 })
        const id = yield* grants.add({
          workspaceId,
          userId,
          clientId: request.clientId,
          clientName: request.clientName,
          redirectUri: request.redirectUri,
          challenge: request.challenge,
          scopes,
          operations: operations?.filter((one) => delegable.has(one)) ?? null,
          code,
          codeExpiresAt: DateTime.addDuration(yield* DateTime.now, codeLifetime)
        })
        if (Option.isNone(id)) return yield* notMember
        const principal = { _tag: "User", userId, sessionId } as const
        yield* audit.record({ workspaceId, principal, operation: "grant_access", target: id.value })
      }
    )

    type SaveFailure = Effect.Effect.Error<ReturnType<typeof save>>

    /** Lets the library answer; the address to return to. */
    const answer = (request: RequestRow, save: ((code: string) => Effect.Effect<void, SaveFailure>) | null) => {
      const response = new OAuth2Server.Response()
      const client = { id: request.clientId, redirectUris: [request.redirectUri], grants: ["authorization_code"] }
      const authorized = runLibrary<unknown, SaveFailure>(async (run) => {
        const server = new OAuth2Server({
          model: {
            getClient: () => Promise.resolve(client),
            generateAuthorizationCode: () => run(Effect.map(randomToken(40), (token) => `bell_oac_${token}`)),
            saveAuthorizationCode: async (code) => {
              if (save !== null) await run(save(code.authorizationCode))
              return { ...code, client, user: {} }
            },
            getAuthorizationCode: () => Promise.resolve(null),
            revokeAuthorizationCode: () => Promise.resolve(false),
            saveToken: () => Promise.resolve(null),
            getAccessToken: () => Promise.resolve(null)
          }
        })
        await server.authorize(asked(request, save !== null), response, {
          authenticateHandler: { handle: () => ({}) },
          allowEmptyState: true,
          authorizationCodeLifetime: Duration.toSeconds(codeLifetime)
        })
      })
      // A refusal is an answer, too: the library has written it into the address.
      return Effect.map(
        Effect.catchIf(authorized, (failure) => "refusal" in failure, () => Effect.void),
        () => named(response.get("location") ?? request.redirectUri)
      )
    }

    /** Gives the app access. The address that the browser returns to has the code. */
    const allow = Effect.fn("AskForAccess.allow")(function*(person: PersonIdentity, id: string, consent: Consent) {
      if (consent.operations !== null && consent.operations.length === 0) return yield* nothingChosen
      return yield* Effect.uninterruptible(transaction(Effect.gen(function*() {
        const request = yield* look(id)
        if (!(yield* requests.end(id))) return yield* ended
        return yield* answer(request, (code) => save(person, request, consent, code))
      })))
    })

    const decline = Effect.fn("AskForAccess.decline")(function*(id: string) {
      const request = yield* look(id)
      if (!(yield* requests.end(id))) return yield* ended
      return yield* answer(request, null)
    })

    return { begin, look, allow, decline, delegable }
  })
}) {}
