/** Rules of the views about oneself. */
export const accountStyle = `
.codes{display:grid;grid-template-columns:repeat(auto-fill,minmax(200px,1fr));gap:8px 20px;font-family:var(--mono);letter-spacing:.06em}
.qr{width:196px;padding:8px;border-radius:9px;background:#fff}
.qr svg{width:100%;height:auto}
`
