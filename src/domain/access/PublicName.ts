/** Recognizes by a deployment's own address whether strangers can reach it. */
import ipaddr from "ipaddr.js"
import { isPublic } from "../check/address/Egress.ts"

/** Names that public DNS does not resolve (RFC 6761, RFC 6762, RFC 8375, and common practice in private networks). */
const privateSuffixes = [".localhost", ".local", ".internal", ".test", ".lan", ".home.arpa"]

/** `url` is the deployment's base URL. A name without a dot is one of a private network, such as that of a compose file. */
export const isPublicUrl = (url: string): boolean => {
  const name = new URL(url).hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "")
  return ipaddr.isValid(name) ? isPublic(name) : name.includes(".") && !privateSuffixes.some((suffix) => name.endsWith(suffix))
}
