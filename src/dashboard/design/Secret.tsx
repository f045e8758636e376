/** A secret that is shown once, and other texts with a button to copy them. */

/** A script shows the button. */
export const CopyText = ({ id, value }: { readonly id: string; readonly value: string }) => (
  <div class="secret">
    <code id={id}>{value}</code>
    <button type="button" class="plain tight" data-copy={id} hidden>Copy</button>
  </div>
)

export const Secret = ({ id, label, value }: { readonly id: string; readonly label: string; readonly value: string }) => (
  <div role="status" class="stack">
    <p>
      <b>{label}</b> It is shown only now.
    </p>
    <CopyText id={id} value={value} />
  </div>
)
