/** The protocol versions that the endpoints serve. */
import { SUPPORTED_PROTOCOL_VERSIONS } from "@modelcontextprotocol/sdk/types.js"

/** The version without sessions, which the SDK does not know: each request says for itself what others agree on in `initialize`. */
const statelessVersion = "2026-07-28"

/** Whether the version begins with `initialize`. */
export const beginsWithInitialize = (version: string): boolean => SUPPORTED_PROTOCOL_VERSIONS.includes(version)

/** The newest first. */
export const servedVersions: ReadonlyArray<string> = [statelessVersion, ...SUPPORTED_PROTOCOL_VERSIONS]
