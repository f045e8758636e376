/** An importer reads one service with the caller's credentials or document, and returns the inventory in our terms. */
import { type Duration, type Effect, Redacted, Struct } from "effect"
import type { Unavailable } from "../../../schema/Errors.ts"
import type { ImportSource } from "../../../schema/import/Import.ts"
import type { Inventory } from "../../domain/import/Inventory.ts"
import type { EgressGuard } from "../../egress/EgressGuard.ts"
import type { Given, InvalidDocument } from "../document/ReadDocument.ts"
import type { SourceAddresses } from "./SourceAddresses.ts"
import { SourceProblem } from "./SourceClient.ts"

export interface ImportRequest {
  readonly apiKey: Redacted.Redacted | null
  /** The service's own id of a status page. */
  readonly pageId: string | null
  /** A public status page, or an installation of the caller's own. */
  readonly url: string | null
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

/** The fields of a request that only some sources read. */
type SourceField = "apiKey" | "pageId" | "url" | "document" | "mirror"

export interface Importer {
  readonly source: ImportSource
  /** The service's name for people. */
  readonly service: string
  readonly reads: ReadonlyArray<SourceField>
  /** The first problem of a request that this source cannot serve; null if there is none. */
  readonly refusal: (request: ImportRequest) => { readonly path: string; readonly message: string } | null
  readonly read: (request: ImportRequest, addresses: SourceAddresses) => Effect.Effect<Inventory, SourceProblem, EgressGuard>
}

/** The first problem of a request: what the source needs is missing, or it would not read what is given. */
export const refusalOf = (importer: Importer, request: ImportRequest) => {
  const { apiKey, document, pageId, url, wants } = request
  const given = {
    apiKey: apiKey !== null,
    pageId: pageId !== null,
    url: url !== null,
    document: document !== null,
    mirror: wants.mirror
  }
  const { reads, refusal, source } = importer
  const unread = Struct.keys(given).find((field) => given[field] && !reads.includes(field))
  return refusal(request) ??
    (unread === undefined ? null : { path: unread, message: `${source} does not read ${unread}; it reads ${reads.join(", ")}` })
}

const mostIssues = 10

/** Refuses a request without a key; `what` says which one to give. */
export const requireKey = (what: string): Importer["refusal"] => ({ apiKey }) =>
  apiKey === null ? { path: "apiKey", message: `Give apiKey, ${what}` } : null

/** The key of a request that was not refused. */
export const keyOf = ({ apiKey }: ImportRequest): string => (apiKey === null ? "" : Redacted.value(apiKey))

/** Refuses a request without a document; `what` says which one to give. */
export const requireDocument = (what: string): Importer["refusal"] => ({ document }) =>
  document === null ? { path: "document", message: `Give document: ${what}` } : null

export const unreadable = (message: string): SourceProblem => new SourceProblem({ message, temporary: false, status: null })

const wordsOf = ({ refusals }: InvalidDocument): SourceProblem =>
  unreadable(refusals.slice(0, mostIssues).map(({ message, path }) => `${path ?? "document"}: ${message}`).join(". "))

export const documentProblem = (problem: InvalidDocument | Unavailable): SourceProblem =>
  problem._tag === "unavailable"
    ? new SourceProblem({ message: problem.message, temporary: true, status: null })
    : wordsOf(problem)
