/** Shared by importers of files: they read a document that the caller sends instead of asking a service. */
import type { Unavailable } from "../../../schema/Errors.ts"
import type { InvalidDocument } from "../document/ReadDocument.ts"
import type { Importer } from "./Importer.ts"
import { SourceProblem } from "./SourceClient.ts"

/** The most issues in a message. */
const most = 10

/** Refuses a request without a document; `what` says which one to give. */
export const requireDocument = (what: string): Importer["refusal"] => ({ document }) =>
  document === null ? { path: "document", message: `Give document: ${what}` } : null

export const unreadable = (message: string): SourceProblem => new SourceProblem({ message, temporary: false, status: null })

const wordsOf = ({ refusals }: InvalidDocument): SourceProblem =>
  unreadable(refusals.slice(0, most).map(({ message, path }) => `${path ?? "document"}: ${message}`).join(". "))

export const documentProblem = (problem: InvalidDocument | Unavailable): SourceProblem =>
  problem._tag === "unavailable"
    ? new SourceProblem({ message: problem.message, temporary: true, status: null })
    : wordsOf(problem)
