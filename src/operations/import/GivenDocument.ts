/** The document of an import: the file itself, or the id under which its preview kept it. */
import { Effect, Option } from "effect"
import type { Caller } from "../../../schema/access/Caller.ts"
import { DocumentId, type WorkspaceId } from "../../../schema/Ids.ts"
import type { ImportInput } from "../../../schema/import/Import.ts"
import { validationFailure } from "../../domain/Refusal.ts"
import { ImportDocuments } from "../../store/import/ImportDocuments.ts"

/** No file of a source is one word like this. */
const reference = /^doc_\w+$/

const isReference = (document: ImportInput["document"]): document is string =>
  typeof document === "string" && reference.test(document.trim())

const unknown = validationFailure([{
  path: "document",
  message: "Expected the file, or the id that preview_import answered for it less than an hour ago"
}])

export const makeGivenDocument = Effect.gen(function*() {
  const documents = yield* ImportDocuments
  return {
    /** The input with its file in the place of an id. Fails with `validation_failed` for one that is not kept. */
    resolved: Effect.fn("GivenDocument.resolved")(function*(workspaceId: WorkspaceId, input: ImportInput) {
      if (!isReference(input.document)) return input
      const found = yield* documents.find(workspaceId, input.document.trim())
      return Option.isNone(found) ? yield* unknown : { ...input, document: found.value }
    }),
    /** The id of the document for the import that follows its preview; null where none can follow. */
    kept: Effect.fn("GivenDocument.kept")(function*({ scopes, workspaceId }: Caller, { document }: ImportInput) {
      if (document === undefined || !scopes.includes("write")) return null
      if (isReference(document)) return DocumentId.make(document.trim())
      return yield* documents.keep(workspaceId, typeof document === "string" ? document : JSON.stringify(document))
    })
  }
})
