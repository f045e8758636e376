/** The token endpoint: gives tokens for a code, and new ones for a refresh token; and the end of tokens that an app asks for. */
import OAuth2Server from "@node-oauth/oauth2-server"
import { DateTime, Duration, Effect, Option } from "effect"
import { oauthRefusals } from "../../../schema/api/parts/AddressLimit.ts"
import type { ApiKeyId, WorkspaceId } from "../../../schema/Ids.ts"
import { isOurResource } from "../../domain/oauth/AuthorizationRequest.ts"
import { type RefreshTokens, refreshVerdict } from "../../domain/oauth/RefreshVerdict.ts"
import { BaseUrl } from "../../links/BaseUrl.ts"
import { Keys } from "../../store/access/Keys.ts"
import { RateLimits } from "../../store/access/RateLimits.ts"
import { type GrantRow, Grants } from "../../store/oauth/Grants.ts"
import { makeTransaction } from "../../store/postgres/Transaction.ts"
import { AuditTrail } from "../access/AuditTrail.ts"
import { KnownApps } from "./KnownApps.ts"
import { type OAuthRefusal, type RunInModel, runLibrary } from "./RunLibrary.ts"

const accessTokenLifetime = Duration.hours(1)

/** A grant ends if its app does not renew it for so long. */
const refreshTokenLifetime = Duration.days(30)

/** The request of an app. */
export interface Given {
  readonly fields: Readonly<Record<string, string>>
  readonly headers: Readonly<Record<string, string>>
  readonly address: string
}

const refused = (error: string, description: string) => Effect.fail({ refusal: { status: 400, error, description } })

const options = {
  accessTokenLifetime: Duration.toSeconds(accessTokenLifetime),
  refreshTokenLifetime: Duration.toSeconds(refreshTokenLifetime),
  requireClientAuthentication: { authorization_code: false, refresh_token: false },
  alwaysIssueNewRefreshToken: true
}

interface Used {
  readonly grant: GrantRow
  /** The refresh token; null for a code. */
  readonly refreshToken: string | null
}

/** Tokens as the library passes them on. */
const complete = ({ accessToken, accessTokenExpiresAt, refreshToken, refreshTokenExpiresAt }: OAuth2Server.Token) =>
  accessTokenExpiresAt === undefined || refreshToken === undefined || refreshTokenExpiresAt === undefined
    ? Effect.dieMessage("The OAuth library made no whole tokens")
    : Effect.succeed({
      accessToken,
      accessTokenEnd: accessTokenExpiresAt,
      refreshToken,
      refreshTokenEnd: refreshTokenExpiresAt
    })

export class ExchangeTokens extends Effect.Service<ExchangeTokens>()("belltower/ExchangeTokens", {
  effect: Effect.gen(function*() {
    const transaction = yield* makeTransaction
    const apps = yield* KnownApps
    const grants = yield* Grants
    const keys = yield* Keys
    const audit = yield* AuditTrail
    const limits = yield* RateLimits
    const baseUrl = yield* BaseUrl

    /** Ends a grant in its own name; the entry of the audit log says why. */
    const end = ({ id, workspaceId }: { readonly id: ApiKeyId; readonly workspaceId: WorkspaceId }, operation: string) =>
      audit.together(
        { workspaceId, principal: { _tag: "Key", keyId: id }, operation },
        keys.revoke(workspaceId, id),
        (ended) => ended ? Option.some(id) : Option.none()
      )

    const clientOf = Effect.fn("ExchangeTokens.clientOf")(function*(id: string) {
      const row = yield* apps.known(id)
      if (Option.isNone(row)) return null
      const grantTypes = ["authorization_code", "refresh_token"]
      return { id, redirectUris: [...row.value.redirectUris], grants: grantTypes } satisfies OAuth2Server.Client
    })

    const clientOfGrant = ({ clientId, redirectUri }: GrantRow): OAuth2Server.Client => ({
      id: clientId,
      redirectUris: [redirectUri],
      grants: ["authorization_code", "refresh_token"]
    })

    /** The grant of a code. One that was used before was copied, so its grant ends (RFC 6749, 4.1.2). */
    const byCode = Effect.fn("ExchangeTokens.byCode")(function*(code: string) {
      const found = Option.getOrNull(yield* grants.byCode(code))
      if (found === null || found.codeUsedAt === null) return found
      yield* end(found, "authorization_code_reused")
      return null
    })

    const verdictOn = Effect.fn("ExchangeTokens.verdictOn")(function*(token: string, tokens: RefreshTokens) {
      return refreshVerdict(grants.hashOf(token), tokens, yield* DateTime.now)
    })

    const byRefreshToken = Effect.fn("ExchangeTokens.byRefreshToken")(function*(token: string) {
      const found = Option.getOrNull(yield* grants.byRefreshToken(token))
      if (found === null || (yield* verdictOn(token, found)) !== "reused") return found
      yield* end(found, "refresh_token_reused")
      return null
    })

    /** The tokens that the new ones follow, as they are when the grant is locked; null if another request ended it meanwhile. */
    const following = Effect.fn("ExchangeTokens.following")(function*(token: string) {
      const found = Option.getOrNull(yield* grants.byRefreshToken(token))
      if (found === null) return null
      const verdict = yield* verdictOn(token, found)
      const { present, previous, rotatedAt } = found
      if (verdict === "reused") return null
      return verdict === "again"
        ? { present, previous, rotatedAt }
        : { present: [], previous: present, rotatedAt: yield* DateTime.now }
    })

    const give = Effect.fn("ExchangeTokens.give")(function*({ grant: { id }, refreshToken }: Used, token: OAuth2Server.Token) {
      const tokens = { id, ...(yield* complete(token)) }
      return yield* transaction(Effect.gen(function*() {
        const before = refreshToken === null ? null : yield* following(refreshToken)
        if (refreshToken !== null && before === null) return false
        yield* grants.giveTokens(tokens, before)
        return true
      }))
    })

    /** The library's model. `used` is what the request presents, once it was found. */
    const modelOf = (run: RunInModel<never>) => {
      let used: Used | null = null
      const scopeOf = ({ grant: { scopes } }: Used) => [...scopes]
      return {
        getClient: (id: string) => run(clientOf(id)),
        getAuthorizationCode: async (code: string) => {
          const found = await run(byCode(code))
          if (found === null) return null
          used = { grant: found, refreshToken: null }
          return {
            authorizationCode: code,
            expiresAt: DateTime.toDateUtc(found.codeExpiresAt),
            redirectUri: found.redirectUri,
            scope: scopeOf(used),
            codeChallenge: found.challenge,
            codeChallengeMethod: "S256",
            client: clientOfGrant(found),
            user: {}
          }
        },
        revokeAuthorizationCode: () => used === null ? Promise.resolve(false) : run(grants.useCode(used.grant.id)),
        getRefreshToken: async (refreshToken: string) => {
          const found = await run(byRefreshToken(refreshToken))
          if (found === null) return null
          used = { grant: found, refreshToken }
          return { refreshToken, scope: scopeOf(used), client: clientOfGrant(found), user: {} }
        },
        // It is replaced together with the saving of the next one.
        revokeToken: () => Promise.resolve(used !== null),
        generateAccessToken: () => run(grants.mintAccessToken),
        generateRefreshToken: () => run(grants.mintRefreshToken(used?.refreshToken ?? null)),
        saveToken: async (token: OAuth2Server.Token, client: OAuth2Server.Client) => {
          if (used === null || !(await run(give(used, token)))) throw new OAuth2Server.InvalidGrantError("The grant has ended")
          return { ...token, scope: scopeOf(used), client, user: {} }
        },
        // Requests are authenticated elsewhere.
        getAccessToken: () => Promise.resolve(null)
      }
    }

    /** The answer to a request for tokens. Fails with the refusal in the words of OAuth. */
    const exchange = Effect.fn("ExchangeTokens.exchange")(function*({ fields, headers }: Given) {
      const { client_id: clientId, resource } = fields
      if (resource !== undefined && !isOurResource(baseUrl, resource)) {
        return yield* refused("invalid_target", `resource is ${baseUrl}/mcp`)
      }
      const token = yield* runLibrary<OAuth2Server.Token>((run) => {
        const server = new OAuth2Server({ model: modelOf(run), ...options })
        const request = new OAuth2Server.Request({ method: "POST", query: {}, headers: { ...headers }, body: { ...fields } })
        return server.token(request, new OAuth2Server.Response())
      })
      if (clientId !== undefined) yield* apps.touch(clientId)
      return {
        access_token: token.accessToken,
        token_type: "Bearer",
        expires_in: options.accessTokenLifetime,
        refresh_token: token.refreshToken,
        scope: (token.scope ?? []).join(" ")
      }
    })

    /** Ends the grant of a token (RFC 7009): the app no longer needs it. A token that is unknown, or of another app, is none. */
    const revoke = Effect.fn("ExchangeTokens.revoke")(function*({ fields: { client_id: clientId, token } }: Given) {
      if (token === undefined) return yield* refused("invalid_request", "token is missing")
      const owner = Option.getOrNull(yield* grants.ownerOf(token))
      if (owner === null || (clientId !== undefined && clientId !== owner.clientId)) return
      yield* end(owner, "end_grant")
    })

    /** Refusals count, so that nobody can try many tokens. */
    const counted = <A>(answer: (given: Given) => Effect.Effect<A, { readonly refusal: OAuthRefusal }>) => (given: Given) =>
      Effect.tapError(answer(given), () => limits.take(oauthRefusals, given.address))

    return { exchange: counted(exchange), revoke: counted(revoke) }
  })
}) {}
