/** Uptime Kuma: the backup that version 1 exports, or the database file of any version. */
import { DateTime, Effect, Either, Predicate } from "effect"
import { kumaBackup, kumaDatabase } from "../../domain/import/kuma/KumaAccount.ts"
import { kumaInventory } from "../../domain/import/kuma/KumaInventory.ts"
import { isSqlite } from "../../domain/import/kuma/SqliteFile.ts"
import { overTurns } from "../../loops/OverTurns.ts"
import { documentValue, type Given } from "../document/ReadDocument.ts"
import { documentProblem, type Importer, requireDocument, unreadable } from "../import/Importer.ts"

const wrong = "This is neither a backup of Uptime Kuma (JSON with monitorList) nor its kuma.db in base64"

/** The beginning of every SQLite file in base64. */
const sqliteInBase64 = "U1FMaXRlIGZvcm1hdCAz"

const accountOf = Effect.fnUntraced(function*(document: Given) {
  if (typeof document === "string" && document.trimStart().startsWith(sqliteInBase64)) {
    const bytes = Buffer.from(document, "base64")
    return yield* isSqlite(bytes) ? Either.mapLeft(kumaDatabase(bytes), unreadable) : unreadable(wrong)
  }
  if (typeof document === "string" && !document.trimStart().startsWith("{")) return yield* unreadable(wrong)
  const value = yield* Effect.mapError(documentValue(document), documentProblem)
  return Predicate.isRecord(value) && Array.isArray(value["monitorList"]) ? kumaBackup(value) : yield* unreadable(wrong)
})

export const uptimekuma: Importer = {
  source: "uptimekuma",
  service: "Uptime Kuma",
  reads: ["document"],
  refusal: requireDocument("the backup JSON of Uptime Kuma, or its kuma.db in base64"),
  read: Effect.fn("Importers.uptimekuma")(function*({ document }) {
    return yield* overTurns(kumaInventory(yield* accountOf(document ?? {}), yield* DateTime.now))
  })
}
