/** A problem in the service's words; empty if there is none. */
export const Problem = ({ text }: { readonly text: string }) => (
  <p class="problem" role="status">
    {text}
  </p>
);
