/** Says to programs how they get access: the metadata of the protected resource (RFC 9728) and of its authorization server (RFC 8414). */
import { docsUrl } from "../../links/BaseUrl.ts"

export const resourcePath = "/.well-known/oauth-protected-resource"
export const serverPath = "/.well-known/oauth-authorization-server"

export const oauthPaths = {
  authorize: "/oauth/authorize",
  register: "/oauth/register",
  revoke: "/oauth/revoke",
  token: "/oauth/token"
} as const

const scopes = ["read", "write"]

/** The metadata of `resource`: the endpoint of MCP, or the whole service for clients that ask without its path. */
export const resourceMetadata = (baseUrl: string, resource: string) => ({
  resource,
  authorization_servers: [baseUrl],
  scopes_supported: scopes,
  bearer_methods_supported: ["header"],
  resource_name: "Belltower",
  resource_documentation: docsUrl(baseUrl)
})

export const serverMetadata = (baseUrl: string) => ({
  issuer: baseUrl,
  authorization_endpoint: `${baseUrl}${oauthPaths.authorize}`,
  token_endpoint: `${baseUrl}${oauthPaths.token}`,
  registration_endpoint: `${baseUrl}${oauthPaths.register}`,
  revocation_endpoint: `${baseUrl}${oauthPaths.revoke}`,
  scopes_supported: scopes,
  response_types_supported: ["code"],
  response_modes_supported: ["query"],
  grant_types_supported: ["authorization_code", "refresh_token"],
  token_endpoint_auth_methods_supported: ["none"],
  revocation_endpoint_auth_methods_supported: ["none"],
  code_challenge_methods_supported: ["S256"],
  client_id_metadata_document_supported: true,
  authorization_response_iss_parameter_supported: true,
  service_documentation: docsUrl(baseUrl)
})

/**
 * Whether a client is offered a sign-in. One that has other credentials needs none, and some clients would prefer it to the header
 * that they were configured with.
 */
export const offersSignIn = (headers: Readonly<Record<string, string | undefined>>): boolean =>
  !("x-api-key" in headers) && /^(?:Bearer +bell_oat_\S*)?$/i.test(headers["authorization"]?.trim() ?? "")

/**
 * The challenge of a 401 at /mcp: where to sign in, unless the client has other credentials, which are then wrong (RFC 6750, 3; RFC 9728,
 * 5.1).
 */
export const challengeOf = (baseUrl: string, headers: Readonly<Record<string, string | undefined>>): string => {
  const { authorization = "" } = headers
  const invalid = authorization.trim() === "" ? "" : ", error=\"invalid_token\""
  return offersSignIn(headers)
    ? `Bearer realm="belltower"${invalid}, resource_metadata="${baseUrl}${resourcePath}/mcp", scope="${scopes.join(" ")}"`
    : `Bearer realm="belltower"${invalid}`
}
