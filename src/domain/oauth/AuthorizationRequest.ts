/** Judges what an app asks for at the authorization endpoint. (RFC 6749, 4.1.1; RFC 7636; RFC 8707; OAuth 2.1.) */
import { Either } from "effect"
import type { Scope } from "../../../schema/workspace/Workspace.ts"

export interface AuthorizationRequest {
  readonly state: string | null
  /** The S256 challenge of PKCE. */
  readonly challenge: string
  readonly scopes: ReadonlyArray<Scope>
}

/** A refusal that the app learns by a redirect. */
export interface AuthorizationRefusal {
  readonly error: "invalid_request" | "invalid_target" | "unsupported_response_type"
  readonly description: string
}

export type Parameters = ReadonlyMap<string, ReadonlyArray<string>>

/** Parameters that are given once at most. */
const single = ["client_id", "redirect_uri", "response_type", "state", "scope", "code_challenge", "code_challenge_method"]

export const one = (parameters: Parameters, name: string): string | null => parameters.get(name)?.[0] ?? null

const longestState = 2048

/** The addresses by which apps name what they want to use: the endpoint of MCP, or the service as a whole. */
export const isOurResource = (baseUrl: string, resource: string): boolean =>
  [baseUrl, `${baseUrl}/`, `${baseUrl}/mcp`, `${baseUrl}/mcp/`].includes(resource)

const refused = (error: AuthorizationRefusal["error"], description: string) => Either.left({ error, description })

/** The scopes of a request; others are ignored, as the answer with the token says (RFC 6749, 3.3). */
const scopesIn = (scope: string | null): ReadonlyArray<Scope> => {
  const asked = new Set((scope ?? "").split(" "))
  return scope === null || asked.has("write") || !asked.has("read") ? ["read", "write"] : ["read"]
}

export const judgeRequest = (
  parameters: Parameters,
  baseUrl: string
): Either.Either<AuthorizationRequest, AuthorizationRefusal> => {
  const twice = single.find((name) => (parameters.get(name)?.length ?? 0) > 1)
  if (twice !== undefined) return refused("invalid_request", `${twice} is given more than once`)
  if (one(parameters, "response_type") !== "code") return refused("unsupported_response_type", "response_type is code")
  const challenge = one(parameters, "code_challenge")
  if (challenge === null) return refused("invalid_request", "code_challenge is missing: PKCE is required")
  if (one(parameters, "code_challenge_method") !== "S256") return refused("invalid_request", "code_challenge_method is S256")
  if (!/^[\w-]{43}$/.test(challenge)) return refused("invalid_request", "code_challenge is the base64url of a SHA-256")
  const state = one(parameters, "state")
  if (state !== null && (state.length > longestState || !/^[\x20-\x7e]*$/.test(state))) {
    return refused("invalid_request", `state has at most ${longestState} printable characters`)
  }
  const resources = parameters.get("resource") ?? []
  if (!resources.every((resource) => isOurResource(baseUrl, resource))) {
    return refused("invalid_target", `resource is ${baseUrl}/mcp`)
  }
  return Either.right({ state, challenge, scopes: scopesIn(one(parameters, "scope")) })
}
