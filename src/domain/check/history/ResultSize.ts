/** The approximate memory of a check result while it waits. */
import type { CheckResult } from "../../../../schema/check/Bus.ts"
import type { ManifestEntry } from "../../../../schema/check/Check.ts"

/** A result without texts: its object, ids and numbers. */
const bareBytes = 600
/** The same of a manifest, and of an entry of it. */
const bareManifestBytes = 200

const entryBytes = ({ key, message, names }: ManifestEntry): number =>
  bareManifestBytes + 2 * (key.length + (message?.length ?? 0) + names.reduce((sum, name) => sum + name.length, 0))

export const manifestBytes = (manifest: ReadonlyArray<ManifestEntry>): number =>
  manifest.reduce((sum, entry) => sum + entryBytes(entry), bareManifestBytes)

/** Bytes. Only the few results with evidence or a manifest are measured; the texts of the others are short. */
export const resultBytes = ({ error, evidence, manifest }: CheckResult): number =>
  bareBytes + 2 * (error?.length ?? 0) + (evidence === null ? 0 : 2 * JSON.stringify(evidence).length) +
  (manifest === undefined ? 0 : manifestBytes(manifest))
