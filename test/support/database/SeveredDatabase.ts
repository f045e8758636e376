/** A migrated database behind a line that a test can cut, mend or freeze. */
import { Effect, Layer } from "effect"
import * as Database from "../../../src/store/postgres/connections/Database.ts"
import { databaseLine } from "../network/Line.ts"
import { newDatabase } from "./TestDatabase.ts"

/** The line, and the layer of a pool that uses it. */
export const severedDatabase = Effect.fn("severedDatabase")(function*(pool: Partial<Database.PoolOptions> = {}) {
  const line = yield* databaseLine(yield* newDatabase("migrated"))
  const options = { maxConnections: 3, applicationName: "belltower test", ...pool }
  return { ...line, layer: Layer.orDie(Database.layer(line.address, options)) }
})
