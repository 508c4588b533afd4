"""Tables: columns of any dataframe library, their schema, and what is known of them."""
