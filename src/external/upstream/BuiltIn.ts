/** The built-in catalogue of third parties. */
import { Schema } from "effect"
import { CatalogueFile } from "../../../schema/upstream/Catalogue.ts"
import catalogue from "./catalogue.json" with { type: "json" }

export const builtIn = Schema.decodeUnknownSync(CatalogueFile)(catalogue)
