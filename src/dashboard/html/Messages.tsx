/** Pages that say one thing. */
import { Gate } from "./Shell.tsx"

export const FailurePage = ({ hint, message, status }: {
  readonly status: number
  readonly message: string
  readonly hint?: string | undefined
}) => (
  <Gate title={status === 404 ? "Not found" : status === 429 ? "One moment" : "That did not work"}>
    <p>{message}</p>
    {hint === undefined ? null : <p class="note">{hint}</p>}
    <p>
      <a href="/app">Go to the start</a>
    </p>
  </Gate>
)
