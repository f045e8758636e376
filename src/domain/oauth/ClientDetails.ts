/** The details that an app gives of itself, in a registration (RFC 7591) or in its own document (OAuth Client ID Metadata Document). */
import { Either, Predicate } from "effect"
import { webUrl } from "../../../schema/UrlText.ts"
import { redirectHost, redirectRefusal } from "./RedirectUri.ts"

export interface ClientDetails {
  readonly name: string
  readonly redirectUris: ReadonlyArray<string>
}

/** A refusal in the words of RFC 7591, 3.2.2. */
export interface ClientRefusal {
  readonly error: "invalid_client_metadata" | "invalid_redirect_uri"
  readonly description: string
}

const mostRedirects = 10

const longestName = 80

/** Control characters, line breaks, and marks that change the direction of the text around them. */
const unshown = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]+/gu

/** A name as it may be shown beside ours. */
const shownName = (given: unknown): string | null => {
  if (!Predicate.isString(given)) return null
  const name = Array.from(given.replace(unshown, " ").replace(/\s+/g, " ").trim()).slice(0, longestName).join("")
  return name === "" ? null : name
}

const refused = (error: ClientRefusal["error"], description: string) => Either.left({ error, description })

const isText = (value: unknown): value is string => Predicate.isString(value)

const includes = (given: unknown, wanted: string): boolean =>
  given === undefined || (Array.isArray(given) && given.includes(wanted))

/** The details, or why they are refused. Clients are public: they hold no secret, so PKCE proves whose code it is. */
export const clientDetails = (given: unknown): Either.Either<ClientDetails, ClientRefusal> => {
  if (!Predicate.isRecord(given)) return refused("invalid_client_metadata", "Send a JSON object")
  const { client_name, grant_types, redirect_uris, response_types } = given
  if (!Array.isArray(redirect_uris) || redirect_uris.length === 0 || redirect_uris.length > mostRedirects) {
    return refused("invalid_redirect_uri", `redirect_uris has 1 to ${mostRedirects} addresses`)
  }
  if (!redirect_uris.every(isText)) return refused("invalid_redirect_uri", "redirect_uris is a list of texts")
  for (const uri of redirect_uris) {
    const refusal = redirectRefusal(uri)
    if (refusal !== null) return refused("invalid_redirect_uri", refusal)
  }
  if (!includes(grant_types, "authorization_code") || !includes(response_types, "code")) {
    return refused("invalid_client_metadata", "The only flow is authorization_code, with the response type code")
  }
  const [first = ""] = redirect_uris
  const name = shownName(client_name) ?? redirectHost(first)
  return Either.right({ name, redirectUris: redirect_uris })
}

/** The methods by which a client could prove itself that a document must not ask for: only public clients have documents here. */
const isPublicMethod = (method: unknown): boolean => method === undefined || method === "none"

/** The details in the document at `url`, which must name itself. */
export const documentDetails = (url: string, given: unknown): Either.Either<ClientDetails, ClientRefusal> => {
  if (!Predicate.isRecord(given)) return refused("invalid_client_metadata", "The document is a JSON object")
  if (given["client_id"] !== url) return refused("invalid_client_metadata", "The document's client_id is its own address")
  if (!isPublicMethod(given["token_endpoint_auth_method"]) || "client_secret" in given) {
    return refused("invalid_client_metadata", "The document's token_endpoint_auth_method is none")
  }
  return clientDetails(given)
}

const longestDocumentUrl = 300

/**
 * Whether a client_id is the address of the client's document: https with a path, without credentials, fragment and query. Plain
 * http is for an installation that is served so itself.
 */
export const isDocumentUrl = (clientId: string, baseUrl: string): boolean => {
  if (clientId.length > longestDocumentUrl || !/^https?:\/\/[\x21-\x7e]+$/.test(clientId)) return false
  const url = webUrl(clientId)
  if (url === null || url.href !== clientId) return false
  if (url.protocol === "http:" && !baseUrl.startsWith("http:")) return false
  return url.pathname !== "/" && url.username === "" && url.password === "" && url.hash === "" && url.search === ""
}
