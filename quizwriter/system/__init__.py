"""What touches the disk, the network, the keyring and processes, and what decodes bytes from outside.

``atomic``          files that are whole or not there
``decoding``        outside data as typed values, with limits, or the reason why they are refused
``members``         files that a manifest names: regular files inside its folder
``http_limits``     requests whose answers have a time, a size and one server
``keyring_access``  secrets in the operating system's keyring
``signing``         Ed25519 keys and signatures
``moments``         moments in milliseconds, and their dates
``resource_files``  the folder of shipped data
``extras``          which optional packages are installed
"""
