/** The summary of an operation, as the API describes it. */
import { inWords } from "../design/Parts.tsx"
import { operationById } from "./DashboardApi.ts"

/** An entry of the audit log that is no operation, such as a sign-in, has only its name: `sign_in`. */
export const operationSummary = (id: string): string => operationById.get(id)?.summary ?? inWords(id)
