/** An importer reads one service with the caller's credentials or document, and returns the inventory in our terms. */
import type { Duration, Effect, Redacted } from "effect"
import type { ImportSource } from "../../../schema/import/Import.ts"
import type { Inventory } from "../../domain/import/Inventory.ts"
import type { EgressGuard } from "../../egress/EgressGuard.ts"
import type { Given } from "../document/ReadDocument.ts"
import type { SourceProblem } from "./SourceClient.ts"

/** The base addresses of the services, without a trailing slash. */
export interface SourceAddresses {
  readonly uptimerobot: string
  readonly uptimerobotV2: string
  readonly betterstack: string
  readonly statuspage: string
  readonly healthchecks: string
}

export const publicSources: SourceAddresses = {
  uptimerobot: "https://api.uptimerobot.com/v3",
  uptimerobotV2: "https://api.uptimerobot.com/v2",
  betterstack: "https://uptime.betterstack.com",
  statuspage: "https://api.statuspage.io/v1",
  healthchecks: "https://healthchecks.io"
}

export interface ImportRequest {
  readonly apiKey: Redacted.Redacted | null
  /** The service's own id of a status page. */
  readonly pageId: string | null
  /** A public status page, or an installation of the caller's own. */
  readonly url: string | null
  /** A file that the caller has. */
  readonly document: Given | null
  /** The parts to read: parts that are not wanted are not asked for. */
  readonly wants: {
    readonly monitors: boolean
    readonly channels: boolean
    readonly pages: boolean
    readonly incidents: boolean
    readonly mirror: boolean
  }
  /** How long the service may make us wait in all. */
  readonly patience: Duration.DurationInput
}

export interface Importer {
  readonly source: ImportSource
  /** The service's name for people. */
  readonly service: string
  /** The first problem of a request that this source cannot serve; null if there is none. */
  readonly refusal: (request: ImportRequest) => { readonly path: string; readonly message: string } | null
  readonly read: (request: ImportRequest, addresses: SourceAddresses) => Effect.Effect<Inventory, SourceProblem, EgressGuard>
}
