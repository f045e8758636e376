/** The page that shows a failure. */
import { Gate } from "./Shell.tsx"

export const FailurePage = ({ hint, message, status }: {
  readonly status: number
  readonly message: string
  readonly hint?: string | undefined
}) => (
  <Gate title={status === 404 ? "Page not found" : status === 429 ? "Please wait" : "Something went wrong"}>
    <p>{message}</p>
    {hint === undefined ? null : <p class="note">{hint}</p>}
    <p>
      <a href="/app">Go to your workspaces</a>
    </p>
  </Gate>
)
