/** What went wrong, in the service's words; nothing where nothing did. */
export const Problem = ({ text }: { readonly text: string }) => (
  <p class="problem" role="status">
    {text}
  </p>
);
