/** A text without spaces, such as an email address or a URL: it breaks after its punctuation before it breaks anywhere else. */
const parts = /[^@./:?&=_-]*[@./:?&=_-]*/g

export const Soft = ({ text }: { readonly text: string }) => (
  <span class="breaks">
    {(text.match(parts) ?? []).map((part, index) => (
      <>
        {index === 0 ? null : <wbr />}
        {part}
      </>
    ))}
  </span>
)
